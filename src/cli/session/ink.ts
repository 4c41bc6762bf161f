import { shortenId } from "#protocol/short-id";
import type { SessionEvent } from "#ui/session/events";
import { listCards } from "#ui/session/open-cards";
import type { Session } from "#ui/session/state";
import { isBusy, isFinished } from "#ui/session/turn";
import { createSession, updateSession } from "#ui/session/update";
import { toLine } from "#ui/text/words";
import type { ToolItem } from "#ui/view/view";
import { createPainter } from "#ui/views/painter";
import { getCancelGraceMs } from "../ask/cancel.ts";
import type { BackendHandle } from "../backend/handle.ts";
import { formatProfileFlag } from "../backend/profile-flag.ts";
import { EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { readKeys } from "../terminal/keys.ts";
import { wantsColor } from "../terminal/terminal.ts";
import { collectMentions, collectWords, findServerLookup, listSlashCandidates, loadCandidates } from "./candidates.ts";
import { createSessionContext } from "./context.ts";
import { createConversationClient } from "./conversation-client.ts";
import { detachSession } from "./detach.ts";
import { createEffectRunner } from "./effects.ts";
import { formatFault } from "./format-fault.ts";
import { addToAnswer, gatherParts } from "./gather-parts.ts";
import { createFileLoader, createPlaceLoader } from "./places.ts";
import { createSessionScreen } from "./screen.ts";
import type { SessionOptions } from "./session-options.ts";

/** How often the session checks the clock while something counts down or runs, in ms. */
const TICK_MS = 200;

/**
 * Runs the session on a terminal. Keys and parts of the conversation are events of the state machine in `#ui/session`,
 * whose effects are run and whose state is drawn. Ends when the user leaves or with a signal, and prints how to resume.
 */
export async function runInkSession(kay: Kay, link: BackendHandle, options: SessionOptions): Promise<ExitCode> {
  const { terminal, clock } = kay;
  const { stdout } = terminal;
  const controller = new AbortController();
  kay.shutdownGraceMs = getCancelGraceMs(kay);
  const sessionKay: Kay = { ...kay, signal: AbortSignal.any([controller.signal, kay.signal]) };
  const hasColor = wantsColor(stdout, kay.env, kay.flags.color);
  const painter = createPainter({ columns: stdout.columns(), rows: stdout.rows() }, hasColor);
  let session: Session = createSession({
    columns: stdout.columns(),
    rows: stdout.rows(),
    now: clock.now(),
    status: {
      model: "",
      connection: "here",
      services: [],
      title: "",
      profile: kay.profile().name,
      ...(kay.choices.plan ? { plan: true } : {}),
    },
  });
  if (!options.client.interaction.enabled)
    session = updateSession(session, { type: "interaction", enabled: false }).session;
  const screen = createSessionScreen(kay, painter, options.client.name, (frame, blocks, committed) => {
    const words = collectWords(committed, session.sources.words);
    const mentions = collectMentions(committed, session.sources.mentions);
    session = updateSession(session, { type: "drawn", frame: { ...frame, at: clock.now() } }).session;
    session = updateSession(session, { type: "committed", blocks }).session;
    if (words !== session.sources.words || mentions !== session.sources.mentions)
      session = updateSession(session, { type: "sources", sources: { words, mentions } }).session;
  });
  /** Requested lists of MCP servers, cached until the tools change. */
  const listed = new Set<string>();
  const dispatch = (event: SessionEvent) => {
    const step = updateSession(session, event);
    session = step.session;
    if (event.type === "sources" && event.sources.tools) listed.clear();
    const lookup = event.type === "key" ? findServerLookup(session.draft.text) : undefined;
    if (lookup && !listed.has(lookup)) {
      listed.add(lookup);
      void loadCandidates(sessionKay, link, dispatch, [lookup]);
    }
    if (lookup === "resources") {
      places.want();
      files.want();
    }
    for (const effect of step.effects) perform(effect);
    if (!sessionKay.signal.aborted) screen.show(session, AT_ONCE.has(event.type) ? "now" : "soon");
  };
  const places = createPlaceLoader(sessionKay, link, { dispatch, connected: () => session.status.services });
  const files = createFileLoader(sessionKay, (candidates) => {
    const rest = session.sources.mentions.filter(({ note }) => note !== "file");
    dispatch({ type: "sources", sources: { mentions: [...rest, ...candidates] } });
  });
  let conversationId = options.resume;
  let newest: ToolItem | undefined;
  let answer = "";
  let endedGeneration: string | undefined;
  let titleAskedFor = "";
  const gathered = gatherParts(sessionKay, (parts) => {
    dispatch({ type: "parts", parts, at: clock.now() });
    for (const { part } of parts) answer = addToAnswer(answer, part);
    // Another terminal may have changed the model or connections.
    if (isFinished(session.view) && session.view.generation_id !== endedGeneration) {
      endedGeneration = session.view.generation_id;
      void loadCandidates(sessionKay, link, dispatch, ["model", "connections"]);
    }
    const turn = `${session.view.session_id} ${session.view.status}`;
    if (session.status.title === "" && turn !== titleAskedFor) {
      titleAskedFor = turn;
      void showTitle(link, session, dispatch);
    }
    // Its result is dropped once it is in the scrollback.
    newest = session.view.items.findLast((item): item is ToolItem => item.kind === "tool" && !item.forgotten) ?? newest;
  });
  const conversation = createConversationClient(sessionKay, link, options.client, {
    session: (id) => {
      conversationId = id;
    },
    part: (part) => gathered.add({ ...part, at: clock.now() }),
    answer: (answer, prompt) => context.showAnswer(answer, prompt),
    connection: (state) => dispatch({ type: "status", status: { connection: state } }),
    onStop: (problem) => {
      if (problem.exit === 4) dispatch({ type: "status", status: { connection: "signed out" } });
      else {
        conversation.forget();
        conversationId = undefined;
      }
      context.say(formatFault(problem));
    },
  });
  const takeKeys = () =>
    readKeys(sessionKay, (key) => {
      if (key.name === "position") screen.locate(key.row ?? 0);
      else if (!sessionKay.signal.aborted) dispatch({ type: "key", key });
    });
  let releaseKeys = takeKeys();
  const context = createSessionContext({
    kay: sessionKay,
    lend: async (work) => {
      releaseKeys();
      try {
        return await screen.lend(work);
      } finally {
        if (!sessionKay.signal.aborted) releaseKeys = takeKeys();
      }
    },
    link,
    conversation,
    screen,
    options,
    dispatch,
    forget: () => {
      gathered.drop();
      conversationId = undefined;
    },
    now: () => session,
    newest: () => newest,
    answer: () => answer,
    leave: (reason) => controller.abort(reason),
  });
  const perform = createEffectRunner(context);
  const releases = [
    stdout.onResize(() => {
      screen.resize();
      dispatch({ type: "size", columns: stdout.columns(), rows: stdout.rows() });
    }),
    terminal.onContinue(screen.redraw),
    kay.out.divert(context.say),
  ];
  try {
    // The network modules, which load next, take longer than a frame.
    screen.show(session, "now");
    await Promise.resolve();
    begin(sessionKay, link, { dispatch, conversation, options, say: context.say });
    await dispatchTicks(sessionKay, () => session, dispatch);
  } finally {
    for (const release of releases.reverse()) release();
    conversation.end();
    context.end();
    await screen.end();
    releaseKeys();
  }
  // `run` limits the time for this.
  if (kay.signal.reason === "SIGHUP") await detachSession(kay, link, session).catch(() => {});
  return leaveWord(kay, session, conversationId, controller.signal.reason === "detached");
}

/** Events that are drawn without delay: responses to keys and commands. */
const AT_ONCE = new Set<SessionEvent["type"]>(["key", "local", "edited", "size"]);

type Beginning = {
  dispatch(event: SessionEvent): void;
  conversation: ReturnType<typeof createConversationClient>;
  options: SessionOptions;
  say(text: string): void;
};

function begin(kay: Kay, link: BackendHandle, { dispatch, conversation, options, say }: Beginning): void {
  dispatch({ type: "status", status: { client: options.client.id } });
  dispatch(listSlashCandidates());
  void kay.history.read().then((entries) => dispatch({ type: "history", entries }));
  void loadCandidates(kay, link, dispatch);
  if (options.resume !== undefined) conversation.follow(options.resume);
  void isSignedIn(link).then((isIn) => {
    if (isIn) return;
    dispatch({ type: "status", status: { connection: "signed out" } });
    say("You are not signed in yet. Connect a service to begin: /connect jira");
  });
}

async function isSignedIn({ usesEnvironmentToken: byToken, credentials, origin }: BackendHandle): Promise<boolean> {
  if (byToken) return true;
  // Invalid values are reported where they are needed.
  const { signIn } = await credentials.read(origin).catch(() => ({ signIn: null }));
  return signIn === null || Boolean(signIn.token || signIn.refresh_token);
}

/** Runs the clock while something counts down or runs. */
async function dispatchTicks(kay: Kay, now: () => Session, dispatch: (event: SessionEvent) => void): Promise<void> {
  const { clock, signal } = kay;
  while (!signal.aborted) {
    await clock.sleep(TICK_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const session = now();
    if (isBusy(session) || listCards(session).length > 0 || session.hint || session.news)
      dispatch({ type: "tick", at: clock.now() });
  }
}

/** Shows the title of the conversation. A new one gets its title with its first turn. */
async function showTitle(
  link: BackendHandle,
  { view }: Session,
  dispatch: (event: SessionEvent) => void,
): Promise<void> {
  if (view.session_id === undefined) return;
  const session = await link.api.session(view.session_id).catch(() => null);
  if (session?.title) dispatch({ type: "status", status: { title: session.title } });
}

/** Prints how to resume and returns the exit code: 8 if an open request was left. */
function leaveWord(kay: Kay, session: Session, conversationId: string | undefined, isDetached: boolean): ExitCode {
  if (conversationId === undefined) return EXIT.ok;
  if (isDetached) {
    const attach = `kay attach ${shortenId(toLine(conversationId))}${formatProfileFlag(kay.profile())}`;
    kay.out.writeProgress(`It is still running. Come back with \`${attach}\`.`);
    return EXIT.ok;
  }
  const waits = listCards(session).length > 0;
  const open = waits ? " Open requests stay open." : "";
  // In backticks it counts as a command, which is never wrapped.
  kay.out.writeProgress(
    `Come back with \`kay ask --resume ${shortenId(toLine(conversationId))}${formatProfileFlag(kay.profile())}\`.${open}`,
  );
  return waits ? EXIT.pending : EXIT.ok;
}
