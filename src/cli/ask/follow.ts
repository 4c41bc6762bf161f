import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/numbered-parts";
import { isGenerationEnd } from "#protocol/numbered-parts";
import { reduceView } from "#ui/view/reduce";
import { type CardItem, EMPTY_VIEW, type Item, listOpenCards, type View } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { promptForPlan } from "./plan.ts";
import type { Presenter } from "./presenter.ts";
import { ABANDONED, promptForCard } from "./prompt-for-card.ts";

/** A generation to follow: its parts, how to show them, and whether kay can prompt here. */
export type FollowOptions = {
  parts: AsyncIterable<NumberedPart>;
  show: Presenter;
  askable: boolean;
  /** Name of this client, for answers. */
  client: string;
  /** Parts up to this number are on the screen already. */
  lastShown?: number;
  /** Parts up to this number are older than this command. A card that opens in them may also be closed in them. */
  historyEnd?: number;
  /** Whether to prompt for requests that are already open. */
  asksOpen?: boolean;
  /** Called with the view after each part. */
  onView?(view: View): void;
};

/** Why following ended: the generation ended, or it has requests that cannot be answered here. */
export type FollowResult = { view: View; waiting: CardItem[] };

/** How long to wait without a terminal until open requests count as complete, if no status reports it, in ms. */
const QUIET_MS = 1_000;

/**
 * Follows a generation to its end or its next stop. On a terminal, prompts for each request as it opens, one at a time,
 * while reading continues, so that an answer from elsewhere ends the prompt.
 *
 * @throws Problem CANCELLED after a signal, and errors of the stream or a prompt
 */
export async function followGeneration(kay: Kay, link: BackendHandle, options: FollowOptions): Promise<FollowResult> {
  const { parts, show, lastShown = 0, historyEnd = 0 } = options;
  const desk = createDesk(kay, link, options);
  const iterator = parts[Symbol.asyncIterator]();
  let view = EMPTY_VIEW;
  let next = iterator.next();
  try {
    for (;;) {
      const came = await awaitFirst(kay, next, desk, waitsHere(view, options));
      if (came === "quiet" || came === "left") return { view, waiting: listOpenCards(view) };
      if (came.done) break;
      next = iterator.next();
      view = reduceView(view, { ...came.value, at: kay.clock.now() });
      options.onView?.(view);
      // Presence is not part of the log, so it is not repeated with earlier parts.
      if (came.value.part.type === "data-presence") {
        show.part(came.value.part, view);
        continue;
      }
      const isNew = came.value.number > lastShown;
      if (!isNew) show.markShown(view, came.value.number);
      if (isNew || (options.asksOpen && came.value.number === lastShown)) desk.look(view);
      if (!isNew) continue;
      show.part(came.value.part, view);
      if (!options.askable && view.last >= historyEnd && isStopped(view)) return { view, waiting: listOpenCards(view) };
    }
    await desk.done();
    return { view, waiting: listOpenCards(view).filter(({ generation_id }) => generation_id === view.generation_id) };
  } catch (error) {
    await desk.abandon();
    throw error;
  } finally {
    next.catch(() => {});
    void iterator.return?.()?.then(undefined, () => {});
    show.end();
  }
}

/** Yields the parts of a conversation up to the end of the generation that is running after number `last`. */
export async function* takeUntilEnd(parts: AsyncIterable<NumberedPart>, last: number): AsyncGenerator<NumberedPart> {
  for await (const part of parts) {
    yield part;
    if (part.number > last && isGenerationEnd(part.part)) return;
  }
}

/** Prompts for cards, one at a time. `abandon` removes an open prompt. */
type CardQueue = { look(view: View): void; failed: Promise<"left">; done(): Promise<void>; abandon(): Promise<void> };

function createDesk(kay: Kay, link: BackendHandle, { show, askable, client }: FollowOptions): CardQueue {
  const questions: PromptRecord = { keys: new Set(), plans: new Set() };
  let current: { keys: string[]; closer: AbortController } | undefined;
  let view = EMPTY_VIEW;
  let work = Promise.resolve();
  let fail: (outcome: Promise<"left">) => void = () => {};
  const failure = new Promise<"left">((resolve) => {
    fail = resolve;
  });
  const getCard = (key: string) => view.items[Number(key)] as CardItem;
  const askNext = async () => {
    let last = 0;
    for (let keys = findNextKeys(view, questions); keys[0] !== undefined; keys = findNextKeys(view, questions)) {
      current = { keys, closer: new AbortController() };
      const { signal } = current.closer;
      const identity = { session: view.session_id ?? "", client };
      const [key] = keys;
      const listCards = () => keys.map(getCard).filter(isApproval);
      if (keys.length > 1) {
        const first = getCard(key);
        const position = { n: last + 1, of: last + listOpenKeys(view, questions).length };
        show.hold({ card: first, at: position.n, of: position.of });
        const plan = { cards: listCards, signal, position };
        const end = await promptForPlan(kay, link, plan, identity);
        if (end === "one by one") questions.plans.add(getPlan(first)?.id ?? "");
        if (end === "answered") for (const newKey of keys) questions.keys.add(newKey);
        if (end === "answered") last += keys.length;
      } else {
        questions.keys.add(key);
        last += 1;
        const position = { n: last, of: last + listOpenKeys(view, questions).length };
        show.hold({ card: getCard(key), at: last, of: position.of });
        await promptForCard(kay, link, { card: () => getCard(key), signal }, identity, position);
      }
      show.release();
    }
    current = undefined;
  };
  return {
    failed: failure,
    done: () => work,
    abandon: async () => {
      current?.closer.abort(ABANDONED);
      await work.catch(() => {});
    },
    look(now) {
      view = now;
      if (!askable) return;
      if (current?.keys.some((key) => getCard(key).ended)) current.closer.abort();
      if (current || findNextKeys(now, questions).length === 0) return;
      work = askNext();
      work.catch((error: unknown) => fail(isLeft(error) ? Promise.resolve("left") : Promise.reject(error)));
    },
  };
}

/** Prompts so far: cards by ordinal, and plans whose cards are prompted for one by one. */
type PromptRecord = { keys: Set<string>; plans: Set<string> };

/**
 * Returns the key of the oldest open card without a prompt so far, with those of its plan once it is complete. Items
 * never change their places.
 */
function findNextKeys(view: View, question: PromptRecord): string[] {
  const open = listOpenKeys(view, question);
  const planAt = (key: string) => getPlan(view.items[Number(key)]);
  const plan = open[0] === undefined ? undefined : planAt(open[0]);
  if (plan === undefined || question.plans.has(plan.id)) return open.slice(0, 1);
  const came = view.items.filter((item) => getPlan(item)?.id === plan.id).length;
  return came < plan.of ? [] : open.filter((key) => planAt(key)?.id === plan.id);
}

function listOpenKeys({ items }: View, { keys }: PromptRecord): string[] {
  const open = items.map((item, index) => (item.kind === "card" && !item.ended ? String(index) : ""));
  return open.filter((key) => key !== "" && !keys.has(key));
}

function getPlan(item: Item | undefined) {
  return item?.kind === "card" && isApproval(item) ? item.request.plan : undefined;
}

function isApproval(card: CardItem): card is Extract<CardItem, { type: "approval" | "form" }> {
  return card.type === "approval";
}

/** The input ended, so the card stays open. */
function isLeft(error: unknown): boolean {
  return error instanceof Problem && error.code === "INPUT_REQUIRED";
}

type Came = IteratorResult<NumberedPart> | "quiet" | "left";

async function awaitFirst(
  kay: Kay,
  next: Promise<IteratorResult<NumberedPart>>,
  desk: CardQueue,
  waits: boolean,
): Promise<Came> {
  if (!waits) return Promise.race([next, desk.failed]);
  const controller = new AbortController();
  const quiet = kay.clock.sleep(QUIET_MS, controller.signal).then(
    () => "quiet" as const,
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([next, desk.failed, quiet]);
  } finally {
    controller.abort();
  }
}

function waitsHere(view: View, { askable, lastShown = 0, historyEnd = 0 }: FollowOptions): boolean {
  return !askable && view.last > lastShown && view.last >= historyEnd && listOpenCards(view).length > 0;
}

/** Whether the generation waits for the user. */
function isStopped(view: View): boolean {
  return (
    ["awaiting_approval", "awaiting_input", "awaiting_auth"].includes(view.status ?? "") &&
    listOpenCards(view).length > 0
  );
}
