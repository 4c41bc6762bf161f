import { Problem } from "#protocol/errors";
import { SCRIPT_TOKEN_LIMITS, type ScriptTokenView } from "#protocol/script-tokens";
import { createIdShortener } from "#protocol/short-id";
import { parseDuration } from "#protocol/time";
import { formatLocalDay } from "#ui/text/local-time";
import { toLine } from "#ui/text/words";
import { findById } from "../../backend/find-by-id.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import { canPick, missingArgumentProblem, pickOne } from "../../prompt/pick.ts";
import { confirmOrThrow } from "../../prompt/question.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Runs `kay token create`: prints only the token on stdout.
 *
 * @throws Problem USAGE for an invalid lifetime or the local backend
 */
export async function createToken(kay: Kay, name: string, lifetime: string | undefined): Promise<void> {
  const days = lifetime === undefined ? SCRIPT_TOKEN_LIMITS.defaultDays : parseDays(lifetime);
  const { api, origin } = await openTokenBackend(kay);
  const created = (await api.createScriptToken({ name, expires_in_days: days })) ?? rejectOlderBackend();
  if (kay.flags.json) return kay.out.writeJson(created);
  kay.out.writeLine(toLine(created.token));
  kay.out.writeProgress(
    `The token is valid until ${formatLocalDay(created.expires_at)}. kay does not show it again.\nSet it as KAY_TOKEN, and KAY_API_URL to ${origin}.`,
  );
}

/** Runs `kay token list`. */
export async function listTokens(kay: Kay): Promise<void> {
  const { api } = await openTokenBackend(kay);
  const tokens = (await api.scriptTokens()) ?? rejectOlderBackend();
  if (kay.flags.json) return kay.out.writeJson({ tokens });
  if (tokens.length === 0) return kay.out.writeProgress(NO_TOKENS_TEXT);
  await kay.out.writeTable(["ID", "NAME", "CREATED", "EXPIRES", "LAST USED"], toRows(kay, tokens));
}

/**
 * Runs `kay token revoke`. Asks first, because scripts that use the token fail afterwards.
 *
 * @throws Problem NOT_FOUND, USAGE when several tokens match, CANCELLED when the user declines
 */
export async function revokeToken(kay: Kay, argument: string | undefined): Promise<void> {
  if (argument === undefined && !canPick(kay)) throw missingArgumentProblem("token revoke", "id");
  const { api } = await openTokenBackend(kay);
  const tokens = (await api.scriptTokens()) ?? rejectOlderBackend();
  if (argument === undefined && tokens.length === 0) return kay.out.writeProgress(NO_TOKENS_TEXT);
  const target = argument ?? (await pickToken(kay, tokens));
  if (target === undefined) return;
  const token = findToken(tokens, target);
  const name = `“${toLine(token.name)}”`;
  if (!(await confirmOrThrow(kay, `Revoke the token ${name}? Scripts that use it will fail.`, "Use --yes.")))
    throw new Problem("CANCELLED", "No token was revoked.");
  const revoked = await api.revokeScriptToken(token.id);
  if (kay.flags.json) return kay.out.writeJson({ revoked });
  kay.out.writeLine(`Revoked the token ${name}.`);
}

/** Parses a lifetime such as `90d`. @throws Problem USAGE */
function parseDays(text: string): number {
  const days = (parseDuration(text) ?? 0) / DAY_MS;
  if (Number.isInteger(days) && days >= 1 && days <= SCRIPT_TOKEN_LIMITS.mostDays) return days;
  throw new Problem("USAGE", `Invalid lifetime ${JSON.stringify(toLine(text).slice(0, 40))} for --expires.`, {
    hint: `Use whole days from 1d to ${SCRIPT_TOKEN_LIMITS.mostDays}d, such as 90d.`,
  });
}

/** Finds a token by ID, or by a unique name. */
function findToken(tokens: ScriptTokenView[], argument: string): ScriptTokenView {
  const matches = tokens.filter(({ name }) => name === argument);
  const token = matches.length === 1 ? matches[0] : findById(argument, tokens, ({ name }) => name);
  if (token) return token;
  const words = JSON.stringify(toLine(argument));
  if (matches.length > 1)
    throw new Problem("USAGE", `${matches.length} tokens are named ${words}.`, {
      hint: "Specify the ID shown by `kay token list`.",
    });
  throw new Problem("NOT_FOUND", `No token has the name or ID ${words}.`, {
    hint: "Run `kay token list` to list them.",
  });
}

function pickToken(kay: Kay, tokens: ScriptTokenView[]): Promise<string | undefined> {
  const choices = toRows(kay, tokens).map(([id = "", name = "", , expires = ""], index) => ({
    value: tokens[index]?.id ?? "",
    label: name,
    note: `${id} · expires ${expires}`,
  }));
  return pickOne(kay, "Which token do you want to revoke?", choices);
}

function toRows({ clock }: Kay, tokens: ScriptTokenView[]): string[][] {
  const shorten = createIdShortener(tokens.map(({ id }) => id));
  return tokens.map(({ id, name, created_at, expires_at, last_used_at }) => [
    toLine(shorten(id)),
    toLine(name),
    formatLocalDay(created_at),
    `${formatLocalDay(expires_at)}${Date.parse(expires_at) <= clock.now() ? " (expired)" : ""}`,
    last_used_at === null ? "never" : formatLocalDay(last_used_at),
  ]);
}

const NO_TOKENS_TEXT = "No tokens.";

/** Opens a backend that other machines reach. The local one needs no token and would accept none. */
async function openTokenBackend(kay: Kay): Promise<BackendHandle> {
  if (!(await kay.resolveTarget()).embedded) return await kay.openBackend({ signedIn: true });
  throw new Problem("USAGE", "The local backend has no tokens for scripts.", {
    hint: "Scripts on this machine use your sign-in. For a remote backend, run `kay config set api-url <url>` first.",
  });
}

function rejectOlderBackend(): never {
  throw new Problem("NOT_FOUND", "This backend has no tokens for scripts.", {
    hint: "Ask its administrator to update it.",
  });
}
