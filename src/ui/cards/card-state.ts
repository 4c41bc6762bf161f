import type { ApprovalUi } from "./approval.ts";
import type { AuthUi } from "./auth.ts";
import type { ConfirmUi } from "./confirm.ts";
import type { FormUi } from "./form.ts";
import type { PlanUi } from "./plan.ts";

/** State of one open card. */
export type CardUi = ApprovalUi | FormUi | AuthUi | ConfirmUi | PlanUi;
