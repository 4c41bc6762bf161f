import * as z from "zod/mini";

/** One setting as it counts: what `kay config get`, `set` and `unset` print. */
export const Setting = z.looseObject({
  key: z.string(),
  /** Null where it is not set; of a secret only that there is one. */
  value: z.nullable(z.union([z.string(), z.boolean(), z.number()])),
  source: z.enum(["flag", "environment", "profile", "default"]),
  /** Where that is: a flag, a variable, the profile. */
  where: z.optional(z.string()),
  /** What it is for. */
  description: z.string(),
});

/** What `kay config list` prints. */
export const Settings = z.looseObject({ profile: z.string(), settings: z.array(Setting) });

/** What `kay config path` prints. */
export const SettingsPath = z.looseObject({ path: z.string() });
