import type { CardItem } from "#ui/view/view";

export type AuthCard = Extract<CardItem, { type: "auth" }>;

/** A card as it is now, and what ends the question for it. */
export type OpenCard<Card extends CardItem = CardItem> = { card(): Card; signal: AbortSignal };
