import { type Document, parseDocument } from "yaml";
import type * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { airtable } from "./airtable/airtable.ts";
import { atlassian } from "./atlassian/atlassian.ts";
import { bitbucket } from "./bitbucket/bitbucket.ts";
import { github } from "./github/github.ts";
import { google } from "./google/google.ts";
import { hubspot } from "./hubspot/hubspot.ts";
import { linkedin } from "./linkedin/linkedin.ts";
import { notion } from "./notion/notion.ts";
import type { Provider } from "./provider.ts";
import { SeedError } from "./seed-build.ts";
import { slack } from "./slack/slack.ts";

export type ProviderName =
  | "atlassian"
  | "bitbucket"
  | "slack"
  | "github"
  | "google"
  | "notion"
  | "airtable"
  | "hubspot"
  | "linkedin";

/** All stand-ins. A new one needs a folder and a line here. */
export const PROVIDERS: Record<ProviderName, Provider<unknown>> = {
  atlassian,
  bitbucket,
  slack,
  github,
  google,
  notion,
  airtable,
  hubspot,
  linkedin,
};

/** A validated seed. A provider that it omits keeps its built-in world. */
export type Seed = Partial<Record<ProviderName, unknown>>;

/**
 * Reads a seed file (YAML, which includes JSON).
 *
 * @param filename only for the message
 * @throws Problem USAGE that names the file and the place in it
 */
export function parseSeed(text: string, filename: string): Seed {
  const document = parseDocument(text, { prettyErrors: true });
  const fault = document.errors[0];
  if (fault) {
    const position = fault.linePos?.[0];
    const reason = fault.message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? "it cannot be read";
    throw invalidSeedError(
      `The seed ${filename} is not valid YAML: ${reason}${position ? ` (line ${position.line}, column ${position.col})` : ""}.`,
    );
  }
  return checkSeed(expandAliases(document, filename), `The seed ${filename}`);
}

/** Validates a whole seed. @param subject start of the message: "The seed world.yaml" */
export function checkSeed(value: unknown, subject: string): Seed {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidSeedError(`${subject} must be a map with one part per service: ${Object.keys(PROVIDERS).join(", ")}.`);
  }
  for (const [name, part] of Object.entries(value)) {
    if (!Object.hasOwn(PROVIDERS, name)) {
      throw invalidSeedError(`${subject} has an unknown part ${name}; there are ${Object.keys(PROVIDERS).join(", ")}.`);
    }
    buildState(PROVIDERS[name as ProviderName], part, 0, subject);
  }
  return value;
}

/** Builds a provider's world from its part of a seed. @throws Problem USAGE that names the place */
export function buildState<World>(provider: Provider<World>, part: unknown, now: number, subject: string): World {
  const result = provider.seed.safeParse(part);
  if (!result.success) throw invalidSeedError(`${subject} is wrong at ${getIssue(result.error, provider.name)}.`);
  try {
    return provider.build(result.data, now);
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    throw invalidSeedError(`${subject} is wrong at ${provider.name}.${error.path}: ${error.message}.`);
  }
}

/** Converts a document. A limit on aliases keeps it from expanding without end. */
function expandAliases(document: Document, filename: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw invalidSeedError(`The seed ${filename} is not valid YAML: its aliases expand too far.`);
  }
}

const TYPES: Record<string, string | undefined> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
};

function getIssue(error: z.core.$ZodError, provider: string): string {
  const issue = findDeepest(error.issues);
  const where = (issue?.path ?? []).reduce<string>(
    (path, key) => path + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    provider,
  );
  if (issue?.code === "unrecognized_keys") return `${where}: ${issue.keys.join(", ")} is not known there`;
  if (issue?.code === "invalid_type") return `${where}: it must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue?.code === "invalid_value") return `${where}: it must be one of ${issue.values.map(String).join(", ")}`;
  return `${where}: ${issue?.message ?? "it is not accepted"}`;
}

function findDeepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  return [...issues].sort((a, b) => b.path.length - a.path.length)[0];
}

function invalidSeedError(sentence: string): Problem {
  return new Problem("USAGE", sentence, { hint: "docs/sandbox.md describes the format of a seed." });
}
