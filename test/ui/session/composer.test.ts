import { describe, expect, test } from "vitest";
import { begins, ends } from "#test/parts";
import { beginsAs, goes, play } from "#test/player";

describe("typed text", () => {
  test("stays in the draft until Enter sends it; then the draft is empty", () => {
    const { type, press, draft, did, ...player } = play();
    type("what is open?");
    expect([draft(), did()]).toEqual(["what is open?", []]);
    press("<enter>");
    expect([draft(), did()]).toEqual(["", [{ do: "send", text: "what is open?" }]]);
    expect(player.now().sending).toBe("what is open?");
    player.parts(...begins());
    player.event({ type: "sent" });
    expect(player.now().sending).toBeNull();
  });

  test("is not sent if it is empty, nor by a paste with line breaks, nor by Enter after a backslash", () => {
    const { type, press, draft, did } = play();
    press("<enter>", " ", "<enter>", "<ctrl-u>");
    press("<paste>one\ntwo\n");
    expect([draft(), did()]).toEqual(["one\ntwo\n", []]);
    type("three\\");
    press("<enter>");
    type("four");
    press("<shift-enter>", "5");
    expect([draft(), did()]).toEqual(["one\ntwo\nthree\nfour\n5", []]);
    press("<enter>");
    expect(did()).toEqual([{ do: "send", text: "one\ntwo\nthree\nfour\n5" }]);
  });

  test("is a command with a slash and a word; with two slashes, or as a path, it is text", () => {
    const { type, press, did } = play();
    for (const line of ["/help", "/nosuch thing", "//help", "/etc/passwd"]) {
      type(line);
      press("<enter>");
    }
    expect(did()).toEqual([
      { do: "slash", line: "/help" },
      { do: "slash", line: "/nosuch thing" },
      { do: "send", text: "//help" },
    ]);
  });

  test("is a prompt if it is the name of an alias, and waits like one", () => {
    const { type, press, event, did, now } = play();
    event({ type: "sources", sources: { commands: [{ name: "stand-up2", note: "", sends: true }] } });
    for (const line of ["/stand-up2 KAY", "/stand-up2"]) {
      type(line);
      press("<enter>");
    }
    expect([did(), now().queue]).toEqual([[{ do: "send", text: "/stand-up2 KAY" }], ["/stand-up2"]]);
  });

  test("returns if the backend refused it, before queued and newer text", () => {
    const { type, press, event, draft, did } = play();
    type("first");
    press("<enter>");
    type("second");
    press("<enter>");
    type("third");
    event({ type: "sent", back: "first" });
    expect([draft(), did()]).toEqual(["first\nsecond\nthird", [{ do: "send", text: "first" }]]);
    press("<enter>");
    expect(did()).toEqual([{ do: "send", text: "first\nsecond\nthird" }]);
  });
});

describe("while work is running", () => {
  const busy = () => {
    const player = play();
    player.parts(...begins());
    return player;
  };

  test("Enter queues, and each completed turn sends the oldest", () => {
    const { type, press, parts, event, did, ...player } = busy();
    type("one");
    press("<enter>");
    type("two");
    press("<enter>");
    expect([did(), player.draft()]).toEqual([[], ""]);
    parts(...ends());
    expect(did()).toEqual([{ do: "send", text: "one" }]);
    event({ type: "sent" });
    expect(did()).toEqual([]);
    parts(...beginsAs("gen_2"));
    parts(goes("completed", "gen_2"), { type: "finish" });
    expect(did()).toEqual([{ do: "send", text: "two" }]);
  });

  test("a turn that began and ended unnoticed sends the next as well", () => {
    const { type, press, parts, event, did } = busy();
    type("one");
    press("<enter>");
    type("two");
    press("<enter>");
    parts(...ends());
    did();
    parts(...beginsAs("gen_2"), goes("completed", "gen_2"), { type: "finish" });
    expect(did()).toEqual([]);
    event({ type: "sent" });
    expect(did()).toEqual([{ do: "send", text: "two" }]);
  });

  test("an accepted prompt that has not begun counts as running, for two seconds at most", () => {
    const { type, press, event, wait, did } = play();
    type("one");
    press("<enter>");
    type("two");
    press("<enter>");
    event({ type: "sent" });
    expect(did()).toEqual([{ do: "send", text: "one" }]);
    wait(1_900);
    type("x");
    press("<enter>");
    expect(did()).toEqual([]);
    wait(200);
    type("y");
    press("<enter>");
    expect(did()).toEqual([{ do: "send", text: "two\nxy" }]);
  });

  test.each(["cancelled", "error"] as const)("after a turn that ended as %s, the queue returns to the draft", (end) => {
    const { type, press, parts, did, draft, ...player } = busy();
    for (const line of ["one", "two"]) {
      type(line);
      press("<enter>");
    }
    type("three");
    parts(goes(end));
    expect([did(), draft(), player.now().queue]).toEqual([[], "one\ntwo\nthree", []]);
  });

  test("Ctrl+Enter sends now, and in an empty draft the queued text", () => {
    const { type, press, did, ...player } = busy();
    type("one");
    press("<enter>");
    type("two");
    press("<ctrl-enter>");
    expect([did(), player.now().queue]).toEqual([[{ do: "send", text: "two" }], ["one"]]);
    press("<ctrl-enter>");
    expect([did(), player.now().queue]).toEqual([[{ do: "send", text: "one" }], []]);
    press("<ctrl-enter>");
    expect(did()).toEqual([]);
  });

  test("Up in an empty draft takes back the newest queued line, then shows the history", () => {
    const { type, press, draft, ...player } = busy();
    player.event({ type: "history", entries: ["old"] });
    for (const line of ["one", "two"]) {
      type(line);
      press("<enter>");
    }
    press("<up>");
    expect([draft(), player.now().queue]).toEqual(["two", ["one"]]);
    press("<ctrl-u>", "<up>");
    expect([draft(), player.now().queue]).toEqual(["one", []]);
  });

  test("a command runs at once", () => {
    const { type, press, did } = busy();
    type("/connections");
    press("<enter>");
    expect(did()).toEqual([{ do: "slash", line: "/connections" }]);
  });
});

describe("the history", () => {
  test("is shown with Up and Down, and the draft returns afterwards", () => {
    const { type, press, event, draft } = play();
    event({ type: "history", entries: ["first", "second"] });
    type("new");
    press("<up>");
    expect(draft()).toBe("second");
    press("<up>", "<up>");
    expect(draft()).toBe("first");
    press("<down>", "<down>");
    expect(draft()).toBe("new");
  });

  test("is searched with Ctrl+R; Enter takes a match without sending, Escape changes nothing, another key edits it", () => {
    const { type, press, event, draft, did, ...player } = play();
    event({ type: "history", entries: ["close KAY-1", "list bugs", "close KAY-2"] });
    type("mine");
    press("<ctrl-r>");
    type("close");
    press("<ctrl-r>", "<escape>");
    expect([draft(), player.now().search]).toEqual(["mine", null]);
    press("<ctrl-r>");
    type("close");
    press("<ctrl-r>", "<enter>");
    expect([draft(), did()]).toEqual(["close KAY-1", []]);
    press("<ctrl-r>");
    type("bugs");
    press("<end>");
    type("!");
    expect([draft(), did()]).toEqual(["list bugs!", []]);
  });
});

describe("completion", () => {
  const withSources = () => {
    const player = play();
    const note = "";
    player.event({
      type: "sources",
      sources: {
        commands: [
          { name: "connect", note, argument: "services" },
          { name: "connections", note },
          { name: "rename", note: "give it a title", needsArgument: true },
        ],
        mentions: ["@#general", "@notes/today.md"].map((text) => ({ text, note })),
        services: ["gmail", "google-calendar", "jira"].map((text) => ({ text, note })),
      },
    });
    return player;
  };

  const getOffer = ({ now }: Pick<ReturnType<typeof play>, "now">) =>
    now().offer?.completion.candidates.map(({ text }) => text) ?? null;

  test("a slash lists the commands, and typing filters them by name and note", () => {
    const { type, press, draft, did, ...player } = withSources();
    type("/");
    expect(getOffer(player)).toEqual(["/connect", "/connections", "/rename"]);
    type("title");
    expect(getOffer(player)).toEqual(["/rename"]);
    press("<enter>");
    expect([draft(), did()]).toEqual(["/rename ", []]);
    press("<ctrl-u>");
    type("/con");
    press("<tab>");
    expect([draft(), getOffer(player)]).toEqual(["/connect", ["/connect", "/connections"]]);
    press("<down>", "<enter>");
    expect(did().at(-1)).toEqual({ do: "slash", line: "/connections" });
    type("/usr/bin");
    expect(getOffer(player)).toBeNull();
  });

  test("a complete command runs at once, and Escape closes the list", () => {
    const { type, press, did, draft, ...player } = withSources();
    type("/connect");
    press("<enter>");
    expect(did().at(-1)).toEqual({ do: "slash", line: "/connect" });
    type("/con");
    press("<escape>");
    expect([getOffer(player), draft()]).toEqual([null, "/con"]);
  });

  test("an @ offers files, issues, channels and people by any part of their names", () => {
    const { type, press, draft, ...player } = withSources();
    type("look at @gen");
    expect(getOffer(player)).toEqual(["@#general"]);
    press("<enter>");
    type("and @day");
    expect(getOffer(player)).toEqual(["@notes/today.md"]);
    press("<tab>");
    expect(draft()).toBe("look at @#general and @notes/today.md ");
    type("mail bob@no");
    expect(getOffer(player)).toBeNull();
  });

  test("Tab extends while it is sure, then offers; arrows and Tab choose, Enter takes without sending", () => {
    const { type, press, draft, did, ...player } = withSources();
    type("g");
    press("<tab>");
    expect(getOffer(player)).toEqual(["gmail", "google-calendar"]);
    press("<tab>", "<down>", "<up>", "<enter>");
    expect([draft(), player.now().offer, did()]).toEqual(["google-calendar ", null, []]);
  });

  test("? shows the keys if nothing is typed, Alt+O opens the newest receipt's link", () => {
    const { type, press, draft, did } = play();
    type("?");
    expect([draft(), did()]).toEqual(["", [{ do: "help" }]]);
    press("<alt-o>");
    expect(did().at(-1)).toEqual({ do: "visit" });
    type("why?");
    expect(draft()).toBe("why?");
  });

  test("Escape closes the list and stops nothing; a typed key closes it and counts", () => {
    const { type, press, draft, did, parts, ...player } = withSources();
    parts(...begins());
    type("g");
    press("<tab>", "<escape>");
    expect([player.now().offer, did()]).toEqual([null, []]);
    press("<tab>", "o");
    expect([draft(), player.now().offer]).toEqual(["go", null]);
  });
});

test("Ctrl+G opens the draft in an editor, and its result replaces the draft; nothing without an editor", () => {
  const { type, press, event, draft, did } = play();
  type("a b");
  press("<ctrl-g>");
  expect(did()).toEqual([{ do: "edit", of: "draft", text: "a b" }]);
  event({ type: "edited", of: "draft", text: null });
  expect(draft()).toBe("a b");
  event({ type: "edited", of: "draft", text: "other\nlines\n\n" });
  expect(draft()).toBe("other\nlines");
  press("<ctrl-_>");
  expect(draft()).toBe("a b");
});

test("Ctrl+L redraws, Ctrl+Z stops, Ctrl+O expands, and none of them changes the draft", () => {
  const { type, press, draft, did } = play();
  type("abc");
  press("<ctrl-l>", "<ctrl-z>", "<ctrl-o>");
  expect([draft(), did()]).toEqual(["abc", [{ do: "clearWindow" }, { do: "suspend" }, { do: "expand" }]]);
});

test("a hint stays for five seconds", () => {
  const { event, wait, ...player } = play();
  event({ type: "hint", text: "Shift+Enter makes a new line.", at: player.now().now });
  wait(4_900);
  expect(player.now().hint?.text).toBe("Shift+Enter makes a new line.");
  wait(100);
  expect(player.now().hint).toBeNull();
});
