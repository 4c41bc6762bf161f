import type { InteractionAnswer } from "#protocol/conversations";
import type { AnyCard } from "#ui/cards/update-card";
import { type Choice, createPicker } from "#ui/picker/picker";
import type { SessionEvent } from "#ui/session/events";
import { connectCard, createFormCard, createQuestionCard } from "./local-cards.ts";
import type { LocalForm } from "./slash/command.ts";

/** How long a link of `/connect` is valid and a form of a slash command stays open, in ms. */
const LINK_MS = 10 * 60_000;
const FORM_MS = 24 * 60 * 60_000;

/** Questions that only this terminal asks: cards, forms and lists of slash commands, which wait for the answers. */
export type LocalRequests = {
  /** Asks for confirmation. */
  confirm(question: string): Promise<boolean>;
  /** Shows a card of services to connect, until it ends. `site` is the chosen site of a service with several. */
  connect(services: string[], site: string | undefined): Promise<void>;
  /** Resolves to null if the user leaves the form. */
  fill(form: LocalForm): Promise<Record<string, unknown> | null>;
  /** Resolves to null if the user chooses nothing. */
  pick(question: string, choices: readonly Choice[], multiple?: boolean): Promise<string[] | null>;
  /** Returns the chosen site of a connection card. */
  getSite(card: string): string | undefined;
  /** Answers a confirmation. @returns false for a card of the backend */
  decide(card: string, isConfirmed: boolean): boolean;
  /** Answers a form. @returns false for a card of the backend */
  submit(card: string, answer: InteractionAnswer): boolean;
  choose(id: string, values: string[] | null): void;
  /** Ends a card without an answer. */
  close(card: string): void;
  closeAll(): void;
};

/** Creates the {@link LocalRequests} of a session, which its state machine draws. */
export function createLocalRequests(dispatch: (event: SessionEvent) => void, now: () => number): LocalRequests {
  const confirmations = createWaiters(false);
  const forms = createWaiters<Record<string, unknown> | null>(null);
  const lists = createWaiters<string[] | null>(null);
  const sites = new Map<string, string>();
  let count = 0;
  const show = <T>(card: AnyCard, waiters: Waiters<T>): Promise<T> => {
    const answer = waiters.wait(card.id);
    dispatch({ type: "local", card });
    return answer;
  };
  return {
    confirm: (question) => show(createQuestionCard(`question:${++count}`, question), confirmations),
    connect: async (services, site) => {
      const card = connectCard(`connect:${++count}`, services, now() + LINK_MS);
      if (site !== undefined) sites.set(card.id, site);
      await show(card, confirmations);
    },
    fill: (form) => show(createFormCard(`form:${++count}`, form, now() + FORM_MS), forms),
    pick: (question, choices, multiple) => {
      const id = `pick:${++count}`;
      dispatch({ type: "pick", id, picker: createPicker(question, choices, multiple) });
      return lists.wait(id);
    },
    getSite: (card) => sites.get(card),
    decide: (card, isConfirmed) => confirmations.answer(card, isConfirmed),
    submit: (card, { action, input = {} }) => forms.answer(card, action === "submit" ? input : null),
    choose: (id, values) => void lists.answer(id, values),
    close: (card) => {
      confirmations.answer(card, false);
      forms.answer(card, null);
    },
    closeAll: () => {
      confirmations.closeAll();
      forms.closeAll();
      lists.closeAll();
    },
  };
}

/** Promises by ID. */
type Waiters<T> = {
  wait(id: string): Promise<T>;
  /** @returns false if nothing waits for this ID */
  answer(id: string, value: T): boolean;
  /** Resolves all waiters without an answer. */
  closeAll(): void;
};

function createWaiters<T>(none: T): Waiters<T> {
  const waiters = new Map<string, (answer: T) => void>();
  const answer = (id: string, value: T): boolean => {
    const resolve = waiters.get(id);
    waiters.delete(id);
    resolve?.(value);
    return resolve !== undefined;
  };
  return {
    wait: (id: string) => new Promise<T>((resolve) => void waiters.set(id, resolve)),
    answer,
    closeAll: () => {
      for (const id of [...waiters.keys()]) answer(id, none);
    },
  };
}
