import type { AuthNeeded, InteractionExtended, InteractionRequest, InteractionResponse } from "#protocol/interactions";
import type { CardEnd, CardItem, View } from "./view.ts";

/** Adds a card for an approval or a form. */
export function addCard(view: View, request: InteractionRequest): View {
  const id = request.interaction_id;
  const type = request.interaction_type === "approval" ? "approval" : "form";
  const generation_id = request.generation_id ?? view.generation_id;
  return withCard(view, { kind: "card", id, type, generation_id, request });
}

/** Closes a card that was answered or ended without an answer. The first end counts. */
export function closeCard(view: View, response: InteractionResponse): View {
  const { action, approval_scope, reason, input, edited_args, client, answered_at } = response;
  const end: CardEnd = {
    action,
    ...(approval_scope ? { scope: approval_scope } : {}),
    ...(reason ? { reason } : {}),
    ...(input ? { input } : {}),
    ...(edited_args ? { edited: true } : {}),
    ...(client ? { client } : {}),
    ...(answered_at ? { at: answered_at } : {}),
  };
  return changeCard(
    view,
    ({ id, type }) => type !== "auth" && id === response.interaction_id,
    (card) => ({ ...card, ended: end }),
  );
}

/** Moves the deadline of an open card. Its request stays the same, so that it keeps its keys. */
export function extendCard(view: View, { interaction_id, expires_at }: InteractionExtended): View {
  return changeCard(
    view,
    ({ id, type }) => type !== "auth" && id === interaction_id,
    (card) => (card.type === "auth" ? card : { ...card, until: expires_at }),
  );
}

/** Adds a card for services that a generation needs. While it is open, further services are added to it. */
export function addAuthCard(view: View, auth: AuthNeeded): View {
  const id = auth.generation_id;
  return withCard(view, { kind: "card", id, type: "auth", generation_id: id, auth });
}

/** Marks a service as connected. */
export function updateAuthCard(view: View, connected: string): View {
  return changeCard(view, isOpenAuth, (card) =>
    card.type === "auth"
      ? { ...card, auth: { ...card.auth, connected: [...new Set([...card.auth.connected, connected])] } }
      : card,
  );
}

/** Closes a connection card after all services are connected or the wait ended. */
export function closeAuthCard(view: View, result: { success: boolean; integrations: string[]; reason?: string }): View {
  const { success, reason } = result;
  const end: CardEnd = { action: success ? "connected" : "cancel", ...(reason ? { reason } : {}) };
  return changeCard(view, isOpenAuth, (card) => {
    if (card.type !== "auth") return card;
    const connected = success ? card.auth.integrations : card.auth.connected;
    return { ...card, ended: end, auth: { ...card.auth, connected } };
  });
}

function isOpenAuth(card: CardItem): boolean {
  return card.type === "auth" && !card.ended;
}

/** Replaces an open card with the same ID, so that nothing is ever asked twice. */
function withCard(view: View, card: CardItem): View {
  const index = view.items.findLastIndex(
    (item) => item.kind === "card" && item.type === card.type && item.id === card.id && !item.ended,
  );
  const items = index < 0 ? [...view.items, card] : view.items.with(index, card);
  return { ...view, items };
}

function changeCard(view: View, isMeant: (card: CardItem) => boolean, change: (card: CardItem) => CardItem): View {
  const index = view.items.findLastIndex((item) => item.kind === "card" && !item.ended && isMeant(item));
  const card = view.items[index];
  return card?.kind === "card" ? { ...view, items: view.items.with(index, change(card)) } : view;
}
