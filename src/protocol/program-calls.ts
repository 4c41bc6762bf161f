import * as z from "zod/mini";
import { Receipt } from "./ask.ts";

/**
 * Bodies for calls that another program makes in the user's name (docs/protocol.md, "Calls of other programs"). Objects
 * are loose: unknown fields pass through.
 */

/** Body of `POST /calls`. */
export const ProgramCallRequest = z.looseObject({
  /** Full name of the tool, such as `jira.search`. */
  tool: z.string().check(z.minLength(1), z.maxLength(200)),
  input: z.optional(z.record(z.string(), z.unknown())),
  /** Name that the program gives itself, such as `claude-code`. */
  program: z.optional(z.string().check(z.maxLength(200))),
});
export type ProgramCallRequest = z.infer<typeof ProgramCallRequest>;

/** A call as `POST /calls` and `GET /calls/:id?wait=` answer it. */
export const ProgramCallView = z.looseObject({
  /** ID for `GET /calls/:id`. A read that ran at once has none. */
  id: z.optional(z.string()),
  tool: z.string(),
  /** `waiting`: the user must answer. `cancelled` ends a call that never ran. */
  status: z.enum(["running", "waiting", "done", "denied", "failed", "cancelled"]),
  /** `done` only: the tool's result. */
  output: z.optional(z.looseObject({ data: z.unknown(), text: z.string(), url: z.optional(z.string()) })),
  /** `denied`, `failed` and `cancelled` only. */
  problem: z.optional(z.looseObject({ code: z.optional(z.string()), message: z.optional(z.string()) })),
  receipts: z.array(Receipt),
  /** `waiting` only: requests that the user must answer. */
  waits: z.array(
    z.looseObject({
      /** ID for `kay answer`. */
      id: z.string(),
      kind: z.enum(["approval", "input", "auth"]),
      /** The question, in one line. */
      prompt: z.string(),
      expires_at: z.string(),
      /** Whether the user lets the program's own dialog answer it (docs/decisions/program-calls.md). */
      answer_in_program: z.boolean(),
    }),
  ),
  session_id: z.optional(z.string()),
  /** When the call arrived, and when it ended. */
  created_at: z.optional(z.string()),
  finished_at: z.optional(z.string()),
});
export type ProgramCallView = z.infer<typeof ProgramCallView>;

/** A program that may use `/mcp`, as `GET /mcp/programs` lists it. */
export const ProgramView = z.looseObject({
  id: z.string(),
  /** Its own claim. */
  name: z.string(),
  /** Host of its redirect address. */
  redirect_host: z.string(),
  created_at: z.string(),
  /** When it last got tokens, which it does every half hour of use. */
  used_at: z.string(),
});
export type ProgramView = z.infer<typeof ProgramView>;

export const ProgramsResponse = z.looseObject({ programs: z.array(ProgramView) });

/** A program that asks for access, as `GET /mcp/requests/:code` shows it. */
export const ProgramAccessRequest = z.looseObject({
  name: z.string(),
  redirect_host: z.string(),
  /** Host of the document that describes it; absent for a program that registered itself. */
  document_host: z.optional(z.string()),
  /** Address of the browser that asked. */
  requested_from: z.nullable(z.string()),
  created_at: z.string(),
  expires_at: z.string(),
});
export type ProgramAccessRequest = z.infer<typeof ProgramAccessRequest>;

/** Body of `POST /mcp/requests/:code`. */
export const ProgramAccessAnswer = z.looseObject({ allow: z.boolean() });

/** Its answer: the address that takes the user's browser back to the program, if it was let in. */
export const ProgramAccessAnswered = z.looseObject({ url: z.optional(z.string()) });
