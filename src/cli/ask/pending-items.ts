import { quoteShellWord } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import type { CardItem, View } from "#ui/view/view";
import { formatProfileFlag } from "../backend/profile-flag.ts";
import { hasScriptToken } from "../backend/script-token.ts";
import type { Kay } from "../kay.ts";

/** An open request as in `kay ask --json` and `kay pending --json`. `answer` has the commands that answer it. */
export type PendingItem = {
  id: string;
  kind: "approval" | "input" | "auth";
  session_id?: string;
  generation_id?: string;
  expires_at: string;
  request?: unknown;
  auth?: unknown;
  answer: string[];
};

/** Converts a card to an open request. */
export function toPendingItem(kay: Kay, card: CardItem, { session_id }: View): PendingItem {
  const { id, generation_id } = card;
  const answer = getAnswerCommands(kay, card);
  if (card.type === "auth")
    return { id, kind: "auth", session_id, generation_id, expires_at: card.auth.expires_at, auth: card.auth, answer };
  const kind = card.type === "approval" ? "approval" : "input";
  return { id, kind, session_id, generation_id, expires_at: card.request.expires_at, request: card.request, answer };
}

/** Returns the commands that answer a card, ready to be copied. */
export function getAnswerCommands(kay: Kay, card: CardItem): string[] {
  const profile = formatProfileFlag(kay.profile());
  const formatCommand = (rest: string) => `kay answer ${quoteShellWord(card.id)}${rest}${profile}`;
  if (card.type === "auth") return [formatCommand(""), formatCommand(" --cancel")];
  if (card.type === "form")
    return [formatCommand(formatFormOptions(card)), formatCommand(" --decline"), formatCommand(" --cancel")];
  const offered = card.request.approval_scopes?.map(({ scope }) => scope).filter((scope) => scope !== "once") ?? [];
  // A script token approves only once.
  const scopes = hasScriptToken(kay) ? [] : offered;
  const approvals = ["", ...scopes.map((scope) => ` --scope ${scope}`)].map((scope) =>
    formatCommand(` --approve${scope}`),
  );
  return [...approvals, formatCommand(" --deny")];
}

function formatFormOptions(card: Extract<CardItem, { type: "approval" | "form" }>): string {
  const fields = card.request.input_schema?.fields ?? [];
  const requiredFields = fields.filter(({ required }) => required);
  const flags = (requiredFields.length > 0 ? requiredFields : fields.slice(0, 1)).map(
    ({ id }) => ` --field ${quoteShellWord(toLine(id))}=…`,
  );
  return flags.join("");
}
