import type { Clause } from "./clause.ts";
import type { Skill } from "./catalogue.ts";
import type { Feed } from "./plan.ts";
import type { Reading } from "./understand.ts";
export function compose(_clause: Clause, _skills: Skill[], _plain: Reading | undefined): { reading: Reading; feed?: Feed } | undefined { return undefined; }
