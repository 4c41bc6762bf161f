import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createBrowser, createHome, type Home } from "#test/built/home";
import { connect, consent } from "#test/built/serve";
import { replaceVarying } from "./record/fixed.ts";
import { renderTakes, type Take } from "./record/svg.ts";
import { openWindow, type Window } from "./record/window.ts";

const FILE = fileURLToPath(new URL("../docs/session.svg", import.meta.url));
const SIZE = { columns: 96, rows: 30 };
const REQUEST = "send the open bugs to #general";

/**
 * The local backend's preferred port. It is occupied here, so that the address has the same length on every machine.
 */
const CALLBACK_PORT = 4040;

/** A user looks at a card before answering it; kay ignores earlier keys. */
const LOOKS_MS = 1_200;

const TEXTS = {
  title: "A session of kay in a terminal",
  description: `A user asks to ${REQUEST}. kay looks the bugs up in Jira, a card asks to connect Slack, the call continues once it is connected, another card shows the exact message and is approved, and the message is sent, with a link to it.`,
};

/**
 * Plays a session of the built kay in a terminal, and draws it to `docs/session.svg`: a request that needs a new connection and then writes. Two
 * runs draw the same file.
 *
 * @returns the exit code
 */
export async function record(): Promise<number> {
  const taken = createServer().listen(CALLBACK_PORT, "127.0.0.1");
  taken.on("error", () => {});
  const { home, close } = createHome({});
  try {
    await connect(home, "jira");
    const { takes, poster } = await play(home);
    writeFileSync(FILE, renderTakes(replaceVarying(takes), { ...TEXTS, poster }));
    return 0;
  } finally {
    await close();
    taken.close();
  }
}

/** The whole session, and the take that represents it as a still image. */
async function play(home: Home): Promise<{ takes: Take[]; poster: number }> {
  const browser = createBrowser(home);
  const window = openWindow({ ...SIZE, cwd: home.folder, env: { ...home.env, BROWSER: browser.program } });
  const takes: Take[] = [];
  const take = async (ms: number) => void takes.push({ ...(await window.shot()), ms });
  try {
    await window.sees(/\$/);
    await typeLine(window, "kay", () => take(160));
    window.type("\r");
    await window.sees(/● jira/);
    await take(900);
    await typeLine(window, REQUEST, () => take(120));
    await pause(LOOKS_MS);
    window.type("\r");
    await window.sees(/○ slack +waiting.* 127[\s\S]*│/);
    await window.sees(/9:5\d left/);
    await take(3_500);
    await pause(LOOKS_MS);
    window.type("\r");
    await consent(await browser.opened());
    await window.sees(/✓ Connected slack[\s\S]*Approve ─[\s\S]*24 h left[\s\S]*● jira slack/);
    await take(5_000);
    const poster = takes.length - 1;
    await pause(LOOKS_MS);
    window.type("1");
    await window.sees(/Answered by the offline planner/);
    await take(3_500);
    window.type("\x04");
    await window.sees(/Come back with/);
    await take(3_500);
    return { takes, poster };
  } finally {
    await window.close();
  }
}

/** Types a line of plain words a few characters at a time. */
async function typeLine(window: Window, line: string, take: () => Promise<void>): Promise<void> {
  await take();
  for (let at = 0; at < line.length; at += 3) {
    window.type(line.slice(at, at + 3));
    await window.sees(new RegExp(`[$>] ${line.slice(0, at + 3).trimEnd()}`));
    await take();
  }
}
