import { type Context, Hono } from "hono";
import { AnswerLinkRequest, type PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticateSignIn } from "../../accounts/authenticate.ts";
import {
  ANSWER_PATH,
  createAnswerLink,
  DEVICE_PATH,
  findDevice,
  formatEmptyCookie,
  signInDevice,
} from "../../approvals/answer-device.ts";
import type { Engine } from "../../generations/engine.ts";
import { getPendingRequest, listPendingRequests } from "../../generations/pending.ts";
import type { BackendPorts } from "../../ports.ts";
import { deleteAnswerDevice, isAnswerLink } from "../../store/answer-devices.ts";
import { createTicket, hashSecret, isTicket } from "../../store/secrets.ts";
import { readJsonBody } from "../body.ts";
import { showAgainPage, showCardPage, showDevicePage, showListPage, showNote, showPlanPage, toIds } from "./pages.ts";
import { submitAnswer, submitPlan } from "./submit.ts";

/**
 * The page where requests are answered, on a device that a terminal signed in: `POST /pending/link`, `/answer`,
 * `/answer/:id`, `/answer/device`.
 */
export function createAnswerPageRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.post("/pending/link", async (c) => {
    const { installationId, familyId } = await authenticateSignIn(ports, c.req.raw);
    const { id = null } = parseShape(AnswerLinkRequest, await readJsonBody(c.req.raw), "the request");
    if (id !== null) await getPendingRequest(ports, installationId, id);
    return c.json(await createAnswerLink(ports, { familyId, interactionId: id }));
  });
  app.get(`${DEVICE_PATH}/:token`, async (c) => {
    const token = c.req.param("token");
    if (!(await isAnswerLink(ports.db, hashSecret(token), ports.clock.now()))) return showUsedLink();
    return showDevicePage(token, createTicket(ports, "answer-device", token));
  });
  app.post(DEVICE_PATH, async (c) => {
    const form = new URLSearchParams(await c.req.text());
    const token = form.get("token") ?? "";
    const isOwnForm = isTicket(ports, "answer-device", token, form.get("ticket") ?? "");
    const device = isOwnForm ? await signInDevice(ports, token) : undefined;
    if (!device) return showUsedLink();
    return redirect(device.interactionId ? `${ANSWER_PATH}/${device.interactionId}` : ANSWER_PATH, device.cookie);
  });
  app.post(`${DEVICE_PATH}/forget`, async (c) => {
    const device = await findDevice(ports, c.req.header("cookie"));
    const form = new URLSearchParams(await c.req.text());
    const isOwnForm = device && isTicket(ports, "answer", toListTicket(device.hash), form.get("ticket") ?? "");
    if (!isOwnForm) return showUnknownDevice();
    await deleteAnswerDevice(ports.db, device.hash);
    const page = showNote("Signed out", "This device can no longer answer.");
    page.headers.append("set-cookie", formatEmptyCookie(ports));
    return page;
  });
  app.get(ANSWER_PATH, async (c) => {
    const device = await findDevice(ports, c.req.header("cookie"));
    if (!device) return askAgain(c);
    const pending = await listPendingRequests(ports, device.installationId);
    return showListPage(pending, createTicket(ports, "answer", toListTicket(device.hash)));
  });
  app.get(`${ANSWER_PATH}/:id`, async (c) => {
    const device = await findDevice(ports, c.req.header("cookie"));
    if (!device) return askAgain(c);
    const id = c.req.param("id");
    return await showClosed(async () => {
      const pending = await getPendingRequest(ports, device.installationId, id);
      const step = await listStep(ports, device.installationId, pending);
      const isPlan = c.req.query("plan") === "1" && step.length > 1;
      const ticket = createTicket(ports, "answer", toCardTicket(device.hash, isPlan ? toIds(step) : id));
      if (isPlan) return showPlanPage(step, ticket);
      return showCardPage(pending, { ticket, edits: c.req.query("edit") === "1", step: step.length });
    });
  });
  app.post(`${ANSWER_PATH}/:id`, async (c) => {
    const device = await findDevice(ports, c.req.header("cookie"));
    if (!device) return showUnknownDevice();
    const id = c.req.param("id");
    const form = new URLSearchParams(await c.req.text());
    const ticket = form.get("ticket") ?? "";
    const ids = form.get("ids");
    if (!isTicket(ports, "answer", toCardTicket(device.hash, ids ?? id), ticket))
      return showNote("Not answered", "This form is not from this page. Open the request again.", 403);
    if (ids !== null) {
      const refusal = await submitPlan(ports, engine, device.installationId, form);
      return refusal === undefined ? redirect(`${ANSWER_PATH}/${id}`) : showNote("Not answered", refusal, 422);
    }
    return await showClosed(async () => {
      const pending = await getPendingRequest(ports, device.installationId, id);
      const refusal = await submitAnswer(ports, engine, { installationId: device.installationId, pending }, form);
      if (refusal === undefined) return redirect(`${ANSWER_PATH}/${id}`);
      return showCardPage(pending, { ticket, edits: form.has("edit_0"), error: refusal, given: form }, 422);
    });
  });
  return app;
}

/** Lists the open approvals of the step that this one belongs to, in their order. */
async function listStep(
  ports: BackendPorts,
  installationId: string,
  pending: PendingRequest,
): Promise<PendingRequest[]> {
  const id = pending.request?.plan?.id;
  if (id === undefined) return [];
  const open = await listPendingRequests(ports, installationId);
  return open
    .filter(({ session_id, request }) => session_id === pending.session_id && request?.plan?.id === id)
    .sort((a, b) => (a.request?.plan?.n ?? 0) - (b.request?.plan?.n ?? 0));
}

/** A ticket is valid for one device and one form. */
function toCardTicket(device: Buffer, id: string): string {
  return `${device.toString("hex")}/${id}`;
}

function toListTicket(device: Buffer): string {
  return toCardTicket(device, "");
}

/** Runs `work`; if its request was answered elsewhere or has ended, shows a note about that. */
async function showClosed(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "INTERACTION_CLOSED") return showNote("This request was answered", error.message);
    if (error.code === "INTERACTION_NOT_FOUND")
      return showNote("Request not found", "It may belong to another account, or its conversation was deleted.", 404);
    throw error;
  }
}

/** Asks the browser once more for its cookie before it counts as unknown. */
function askAgain(c: Context): Response {
  return c.req.query("again") === undefined ? showAgainPage(c.req.path) : showUnknownDevice();
}

function showUnknownDevice(): Response {
  return showNote(
    "This device cannot answer yet",
    "Run kay pending --link in a terminal, and open the link that it prints on this device.",
    401,
  );
}

function showUsedLink(): Response {
  return showNote(
    "This link no longer works",
    "A link works once, for ten minutes. Run kay pending --link in a terminal for a new one.",
    410,
  );
}

function redirect(location: string, cookie?: string): Response {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "same-origin" });
  if (cookie) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
