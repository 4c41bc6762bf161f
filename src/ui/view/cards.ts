import type { AuthNeeded, InteractionRequest, InteractionResponse } from "#protocol/events";
import type { CardEnd, CardItem, View } from "./view.ts";

/** A person is asked to approve something, or to fill in a form. */
export function addCard(view: View, request: InteractionRequest): View {
  const id = request.interaction_id;
  const type = request.interaction_type === "approval" ? "approval" : "form";
  const generation_id = request.generation_id ?? view.generation_id;
  return withCard(view, { kind: "card", id, type, generation_id, request });
}

/** It was answered, here or elsewhere, or ended without an answer. The first word on it stays. */
export function closeCard(view: View, response: InteractionResponse): View {
  const { action, approval_scope, reason, input, edited_args, client, answered_at } = response;
  const ended: CardEnd = {
    action,
    ...(approval_scope ? { scope: approval_scope } : {}),
    ...(reason ? { reason } : {}),
    ...(input ? { input } : {}),
    ...(edited_args ? { edited: true } : {}),
    ...(client ? { client } : {}),
    ...(answered_at ? { at: answered_at } : {}),
  };
  return applyChange(
    view,
    ({ id, type }) => type !== "auth" && id === response.interaction_id,
    (card) => ({ ...card, ended }),
  );
}

/** Services have to be connected before the generation goes on. While its card is open, it only learns of more. */
export function addAuthCard(view: View, auth: AuthNeeded): View {
  const id = auth.generation_id;
  return withCard(view, { kind: "card", id, type: "auth", generation_id: id, auth });
}

/** One of the services is connected. */
export function updateAuthCard(view: View, connected: string): View {
  return applyChange(view, isOpenAuth, (card) =>
    card.type === "auth"
      ? { ...card, auth: { ...card.auth, connected: [...new Set([...card.auth.connected, connected])] } }
      : card,
  );
}

/** All are connected, or the wait for them is over. */
export function closeAuthCard(view: View, result: { success: boolean; integrations: string[]; reason?: string }): View {
  const { success, reason } = result;
  const ended: CardEnd = { action: success ? "connected" : "cancel", ...(reason ? { reason } : {}) };
  return applyChange(view, isOpenAuth, (card) => {
    if (card.type !== "auth") return card;
    const connected = success ? card.auth.integrations : card.auth.connected;
    return { ...card, ended, auth: { ...card.auth, connected } };
  });
}

function isOpenAuth(card: CardItem): boolean {
  return card.type === "auth" && !card.ended;
}

/** A card with this id that is open still is replaced, so that nothing is ever asked by two. */
function withCard(view: View, card: CardItem): View {
  const index = view.items.findLastIndex(
    (item) => item.kind === "card" && item.type === card.type && item.id === card.id && !item.ended,
  );
  const items = index < 0 ? [...view.items, card] : view.items.with(index, card);
  return { ...view, items };
}

function applyChange(view: View, isMeant: (card: CardItem) => boolean, change: (card: CardItem) => CardItem): View {
  const index = view.items.findLastIndex((item) => item.kind === "card" && !item.ended && isMeant(item));
  const card = view.items[index];
  return card?.kind === "card" ? { ...view, items: view.items.with(index, change(card)) } : view;
}
