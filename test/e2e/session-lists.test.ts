import { expect, test } from "vitest";
import { type SessionShell, useSessions } from "#test/built/sessions";

const { model, open } = useSessions();

/** Checks that every row of the window is whole: the terminal wrapped or cut none. */
function rows(session: SessionShell): string[] {
  return session.screen().filter((row) => row !== "");
}

for (const [columns, height] of [
  [80, 24],
  [40, 12],
  [200, 60],
] as const) {
  test(`commands, mentions, lists and keys at ${columns} × ${height}`, { timeout: 60_000 }, async () => {
    const session = await open({ columns, rows: height });
    session.type("/");
    await session.sees(/^❯ \/help/m);
    session.type("sess");
    await session.sees(/^❯ \/sessions/m);
    expect(rows(session).every((row) => row.length <= columns)).toBe(true);
    session.type("\x1b");
    await session.sees((screen) => !screen.includes("❯"));
    session.type("\x15?");
    await session.shows(/Ctrl\+O/);
    model.script({ text: "KAY-1 is in #general." });
    session.type("where is it\r");
    await session.sees(/KAY-1 is in #general\./);
    await session.sees((screen) => !screen.includes("working"));
    session.type("@gen");
    await session.sees(/^❯ @#general/m);
    session.type("\t");
    await session.sees(/^> @#general$/m);
    session.type("\x15/sessions\r");
    await session.sees(/Which conversation\?[\s\S]*❯ +1/);
    expect(session.screen().join("\n")).toMatch(/esc cancel|enter choose/);
    session.type("\x1b");
    await session.sees((screen) => !screen.includes("Which conversation"));
    session.type("\x04");
    expect(await session.exit()).toBe(0);
  });
}
