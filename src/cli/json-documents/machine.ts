import * as z from "zod/mini";

/** What `kay doctor` prints. */
export const Doctor = z.looseObject({
  /** Whether no check failed. Warnings are not failures. */
  ok: z.boolean(),
  checks: z.array(
    z.looseObject({
      /** ID of the check: `keychain`, `network.tls`. */
      id: z.string(),
      title: z.string(),
      state: z.enum(["ok", "warning", "failed", "skipped"]),
      /** Finding in one line. */
      detail: z.string(),
      /** The fix, if the check is not ok. */
      fix: z.optional(z.string()),
      /** Its duration in milliseconds. */
      ms: z.number(),
    }),
  ),
  /** The file of the report, with `--bundle`. */
  bundle: z.optional(z.string()),
});

/** What `kay profile list` prints. */
export const Profiles = z.looseObject({
  profiles: z.array(
    z.looseObject({
      name: z.string(),
      /** Whether commands use it without `--profile`. */
      current: z.boolean(),
      /** `embedded` for the local backend, otherwise its address; null if the settings cannot be read. */
      backend: z.nullable(z.string()),
      /** Null if unknown. */
      signed_in: z.nullable(z.boolean()),
      /** The account at each service, as last reported by the backend. */
      accounts: z.record(z.string(), z.string()),
      /** Why a value is unknown. */
      problem: z.optional(z.string()),
    }),
  ),
});

/** What `kay profile use` prints. */
export const ProfileUsed = z.looseObject({ profile: z.string(), previous: z.string() });

/** What `kay profile create` prints. */
export const ProfileCreated = z.looseObject({ profile: z.string(), created: z.literal(true) });

/** What `kay profile remove` prints. */
export const ProfileRemoved = z.looseObject({
  profile: z.string(),
  removed: z.literal(true),
  /** The profile that commands use now. */
  current: z.string(),
  /** Each backend that it was signed in to, and whether the backend was notified. */
  signed_out: z.array(z.looseObject({ backend: z.string(), revoked: z.boolean() })),
});

/** What `kay completion` prints. */
export const Completion = z.looseObject({
  shell: z.enum(["bash", "zsh", "fish", "powershell"]),
  /** The script, to be sourced. */
  script: z.string(),
});

/** A command in a list of them. */
const Entry = z.looseObject({ name: z.string(), description: z.string() });

/** An argument or an option, as typed. */
const Flag = z.looseObject({ flags: z.string(), description: z.string() });

/** A command, or kay itself. */
const CommandHelp = z.looseObject({
  /** Words of the command. */
  name: z.string(),
  description: z.string(),
  usage: z.string(),
  arguments: z.array(Flag),
  options: z.array(Flag),
  /** Commands below it. */
  commands: z.array(Entry),
  /** The whole page. */
  text: z.string(),
});

/** A page of `kay help`. */
const Topic = z.looseObject({ topic: z.string(), text: z.string() });

/** What `kay help` prints; `kay help json <command>` prints a JSON Schema instead. */
export const Help = z.union([CommandHelp, Topic]);

/** The effective value of a setting: what `kay config get`, `set` and `unset` print. */
export const Setting = z.looseObject({
  key: z.string(),
  /** Null if it is not set; a mask for a secret. */
  value: z.nullable(z.union([z.string(), z.boolean(), z.number()])),
  source: z.enum(["flag", "environment", "profile", "default"]),
  /** Where it is set: a flag, a variable, the profile. */
  where: z.optional(z.string()),
  /** Purpose of the setting. */
  description: z.string(),
});

/** What `kay config list` prints. */
export const Settings = z.looseObject({ profile: z.string(), settings: z.array(Setting) });

/** A saved prompt: what `kay alias set` prints. */
export const Alias = z.looseObject({
  name: z.string(),
  text: z.string(),
  /** Description in one line. */
  description: z.string(),
  /** `person`: the user's own file. `project`: a file of a project that the user trusts. */
  origin: z.enum(["person", "project"]),
  path: z.string(),
});

/** What `kay alias list` prints. */
export const Aliases = z.looseObject({ aliases: z.array(Alias) });

/** What `kay alias remove` prints. */
export const AliasRemoved = z.looseObject({ name: z.string(), removed: z.boolean() });

/** What `kay context` prints. */
export const Context = z.looseObject({
  instructions: z.array(
    z.looseObject({
      path: z.string(),
      /** Bytes that are read. */
      bytes: z.number(),
      /** Whether the file is longer than that. */
      cut: z.boolean(),
      origin: z.enum(["person", "project"]),
      /** The user's decision about a project's file. `changed`: the decision was about an earlier text. */
      trust: z.enum(["own", "trusted", "refused", "changed", "unknown"]),
      /** Whether the model gets it. */
      used: z.boolean(),
    }),
  ),
  /** By setting, such as `jira.project`. */
  defaults: z.record(z.string(), z.string()),
  /** Names of the aliases. */
  aliases: z.array(z.string()),
  services: z.array(z.looseObject({ name: z.string(), account: z.string() })),
  /** Tools of the connected services, and an estimate of their tokens. */
  tools: z.looseObject({ count: z.number(), tokens: z.number() }),
  time_zone: z.nullable(z.string()),
  /** Null if the backend does not say which model it uses. */
  model: z.nullable(z.looseObject({ name: z.string(), label: z.string(), context_window: z.nullable(z.number()) })),
});

/** What `kay context trust` and `kay context untrust` print. */
export const ProjectTrust = z.looseObject({ folder: z.string(), trusted: z.boolean() });

/** What `kay config path` prints. */
export const SettingsPath = z.looseObject({ path: z.string() });
