import { getQuestion } from "#protocol/card-text";
import { cleanLine } from "#protocol/clean";
import type { PendingRequest } from "#protocol/conversations";
import { ANSWER_PATH, DEVICE_PATH } from "../../approvals/answer-device.ts";
import { escapeHtml, renderPageShell } from "../../connections/consent/page.ts";
import { renderApproval, renderEditor, renderScopes } from "./approval-card.ts";
import { renderFormFields, renderFormHead } from "./form-card.ts";

/** Parts of a card's page besides the request: the ticket of its forms, and the refused answer. */
export type CardView = {
  ticket: string;
  edits?: boolean;
  error?: string;
  given?: URLSearchParams;
  /** Open approvals of the same step, this one among them. */
  step?: number;
};

/** Shows the purpose of a link. Only the button spends it, because link previews open it too. */
export function showDevicePage(token: string, ticket: string): Response {
  return renderAnswerPage("Answer on this device", [
    "<h1>Answer on this device?</h1>",
    `<p>This browser can then approve and deny for kay, until you run kay logout. Continue only if you asked for this link
in your terminal.</p>
<form method="post" action="${DEVICE_PATH}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<div class="buttons"><button class="primary">Continue</button></div>
</form>`,
  ]);
}

/** Shows all open requests, newest first. */
export function showListPage(pending: PendingRequest[], ticket: string): Response {
  const rows = pending.toReversed().map(({ id, kind, title, request, auth }) => {
    const subject = kind === "auth" ? `Connect ${(auth?.integrations ?? []).join(", ")}` : getQuestion(request);
    return `<li><a href="${ANSWER_PATH}/${encodeURIComponent(id)}">${escapeHtml(cleanLine(subject, 200))}</a>
<small>${escapeHtml(cleanLine(title ?? "", 120))}</small></li>`;
  });
  return renderAnswerPage("Open requests", [
    "<h1>Open requests</h1>",
    rows.length === 0 ? "<p>No open requests.</p>" : `<ul class="list">${rows.join("\n")}</ul>`,
    `<form method="post" action="${DEVICE_PATH}/forget">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<footer><button>Sign this device out</button></footer>
</form>`,
  ]);
}

/** Shows a request with everything that an answer needs. */
export function showCardPage(pending: PendingRequest, view: CardView, status = 200): Response {
  const { request, auth, expires_at } = pending;
  const footer = `<footer>Open until ${escapeHtml(expires_at.slice(0, 16).replace("T", " "))} UTC. ${TO_LIST}</footer>`;
  const error = view.error ? `<p class="warning" role="alert">${escapeHtml(view.error)}</p>` : "";
  if (auth) {
    const services = auth.integrations.filter((name) => !auth.connected.includes(name)).map((name) => cleanLine(name));
    const text = `kay needs ${services.join(" and ")}. Run kay connect ${services.join(" ")} in a terminal.`;
    return renderAnswerPage("Connect", [
      `<h1>Connect ${escapeHtml(services.join(", "))}</h1>\n<p>${escapeHtml(text)}</p>`,
      footer,
    ]);
  }
  if (!request) return showNote("Nothing to show", "This request has no content.", 404);
  const card =
    request.interaction_type === "approval"
      ? renderApprovalForms(pending.id, request, view)
      : renderInputForms(pending.id, request, view);
  return renderAnswerPage(
    "Answer kay",
    [error, request.error ? `<p class="warning">${escapeHtml(cleanLine(request.error))}</p>` : "", card, footer],
    status,
  );
}

/** Shows the open approvals of a step, each whole, and below all of them the buttons that answer them together. */
export function showPlanPage(pending: PendingRequest[], ticket: string): Response {
  const cards = pending.flatMap(({ request }, index) =>
    request ? [`<p><strong>${index + 1} of ${pending.length}</strong></p>\n${renderApproval(request)}`] : [],
  );
  const hiddenFields = `${renderTicket(ticket)}<input type="hidden" name="ids" value="${escapeHtml(toIds(pending))}">\n`;
  const formStart = `<form method="post" action="${ANSWER_PATH}/${encodeURIComponent(pending[0]?.id ?? "")}" autocomplete="off">\n${hiddenFields}`;
  return renderAnswerPage("Answer kay", [
    ...cards,
    `${formStart}<div class="choices"><button name="decision" value="once" class="primary">Approve all ${pending.length}</button></div>\n</form>`,
    `${formStart}<label>Reason to deny <input name="reason" maxlength="500"></label>
<div class="choices"><button name="decision" value="deny">Deny all ${pending.length}</button></div>
</form>
<footer>${TO_LIST}</footer>`,
  ]);
}

/** Names the approvals that a form answers together. Its ticket is for just these. */
export function toIds(pending: PendingRequest[]): string {
  return pending.map(({ id }) => id).join(",");
}

/** Shows one sentence, such as how a request ended. */
export function showNote(title: string, text: string, status = 200): Response {
  return renderAnswerPage(
    title,
    [`<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>\n<footer>${TO_LIST}</footer>`],
    status,
  );
}

/**
 * Loads the address once more from this page. A browser that came from another site has not sent its cookie, which is
 * for requests of the same site only.
 */
export function showAgainPage(path: string): Response {
  const href = escapeHtml(`${path}?again=1`);
  return renderAnswerPage("Answer kay", [
    `<meta http-equiv="refresh" content="0; url=${href}">\n<p><a href="${href}">Continue</a></p>`,
  ]);
}

type Request = NonNullable<PendingRequest["request"]>;

/** Renders the forms of an approval. Denying is a separate form, so that Enter in the reason never approves. */
function renderApprovalForms(id: string, request: Request, { ticket, edits, given, step = 1 }: CardView): string {
  const canEdit = request.editable === true && (request.preview?.fields.length ?? 0) > 0;
  const editor = edits && canEdit ? `<h2>Edit</h2>\n${renderEditor(request, given)}\n` : "";
  const path = `${ANSWER_PATH}/${encodeURIComponent(id)}`;
  const link = editor === "" && canEdit ? `<p><a href="${path}?edit=1">Edit before approving</a></p>\n` : "";
  const planLink = step > 1 ? `<p><a href="${path}?plan=1">All ${step} changes of this step</a></p>\n` : "";
  return `${renderApproval(request)}
${planLink}<form method="post" action="${path}" autocomplete="off">
${renderTicket(ticket)}${editor}<div class="choices">
${renderScopes(request, editor === "" ? "Approve" : "Approve as edited")}
</div>
</form>
${link}<form method="post" action="${path}" autocomplete="off">
${renderTicket(ticket)}<label>Reason to deny <input name="reason" maxlength="500"></label>
<div class="choices"><button name="decision" value="deny">Deny</button></div>
</form>`;
}

function renderInputForms(id: string, request: Request, { ticket, given }: CardView): string {
  const path = `${ANSWER_PATH}/${encodeURIComponent(id)}`;
  const verb = request.link === undefined ? "Submit" : "I have visited it";
  return `${renderFormHead(request)}<form method="post" action="${path}" autocomplete="off">
${renderTicket(ticket)}${renderFormFields(request, given)}
<div class="choices">
<button name="decision" value="submit" class="primary">${verb}</button>
<button name="decision" value="deny">Decline</button>
<button name="decision" value="cancel">Cancel</button>
</div>
</form>`;
}

function renderTicket(ticket: string): string {
  return `<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">\n`;
}

const TO_LIST = `<a href="${ANSWER_PATH}">All open requests</a>`;

function renderAnswerPage(title: string, content: string[], status = 200): Response {
  // The browser must send the origin of a form, so that the backend recognizes its own.
  const text = content.filter(Boolean).join("\n");
  return renderPageShell({ title, content: text, status, formAction: "'self'", referrer: "same-origin" });
}
