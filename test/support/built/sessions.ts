import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll } from "vitest";
import { useHome } from "./home.ts";
import { useModel } from "./model.ts";
import { until } from "./processes.ts";
import { connect, serve } from "./serve.ts";
import { openShell, type Shell } from "./terminal.ts";

/** A terminal with a session of kay in it. */
export type SessionShell = Shell & {
  /** The process of kay. */
  kay: number;
  /** The terminal's `stty -g` before it. */
  cooked: string;
  /** Waits until `look` accepts the rows of the window. */
  sees(look: RegExp | ((screen: string) => boolean), limitMs?: number): Promise<void>;
  /**
   * Presses a key once a card accepts it, and waits for the window. A key that was too early is in the line: it is
   * removed and pressed again.
   */
  press(key: string, look: RegExp): Promise<void>;
};

type Opening = {
  columns?: number;
  rows?: number;
  command?: string;
  env?: Record<string, string>;
  before?: string;
  shell?: "/bin/bash";
};

/** The call that closes an issue. */
export const closeCall = (issue: string): [string, string, object] => [
  `call-${issue}`,
  "jira.transition_issue",
  { issue, status: "Done" },
];

/** The end of each drawing. */
const DRAWN = "\x1b[?2026l";

/** The line below the composer once a session is ready. */
const READY = /● jira/;

/** `kay serve` with a scripted model, and a user with Jira, for the tests of a file. */
export function useSessions() {
  const model = useModel();
  const home = useHome();
  let sandbox: Record<string, string> = {};
  beforeAll(async () => {
    const served = await serve(home(), [], model.env());
    sandbox = served.sandbox;
    home().env.KAY_API_URL = served.url;
    await connect(home(), "jira");
  }, 90_000);
  const open = async (opening: Opening = {}): Promise<SessionShell> => {
    const { columns = 80, rows = 24, command = "kay ask", env, before, shell } = opening;
    const opened = await openShell({
      columns,
      rows,
      env: { ...home().env, ...env },
      cwd: home().folder,
      ...(shell ? { shell } : {}),
    });
    const cooked = (await opened.run("stty -g")).shown.replace(/\s/g, "");
    if (before) await opened.run(before);
    opened.enter(command);
    const sees: SessionShell["sees"] = async (look, limitMs) => {
      const fits = () => {
        const screen = opened.screen().join("\n");
        return typeof look === "function" ? look(screen) : look.test(screen);
      };
      await until(fits, () => `The window never showed ${look}; it shows:\n${opened.screen().join("\n")}`, limitMs);
    };
    const press: SessionShell["press"] = async (key, look) => {
      for (let tries = 0; ; tries++) {
        await pause(400 + 1_000 * Math.min(tries, 1));
        opened.type(key);
        try {
          return await sees(look, 4_000);
        } catch (error) {
          if (tries === 4) throw error;
          opened.type("\x7f");
        }
      }
    };
    const session = { ...opened, sees, press, cooked, kay: 0 };
    await until(
      () => opened.bytes().includes(DRAWN),
      () => `Nothing was drawn: ${JSON.stringify(opened.bytes())}`,
    );
    if (rows >= 12 && columns >= 60) await sees(READY);
    session.kay = Number(execFileSync("pgrep", ["-P", String(opened.pid)], { encoding: "utf8" }).split("\n")[0]);
    return session;
  };
  /** Lists which of these issues were really moved in the sandbox, in order. */
  const listMoves = async (issues: string[]): Promise<string[]> => {
    const answer = await fetch(`${sandbox.atlassian}/_sandbox/requests`);
    const { requests } = (await answer.json()) as { requests: { method: string; path: string }[] };
    const writes = requests.flatMap(({ method, path }) => {
      const issue = /\/issue\/([^/]+)\/transitions$/.exec(path)?.[1];
      return method === "POST" && issue ? [issue] : [];
    });
    return writes.filter((issue) => issues.includes(issue));
  };
  return { model, home, open, listMoves, sandbox: () => sandbox };
}
