import { expect, test } from "vitest";
import { type Machine, type RunSetting, useKay } from "#test/kay";

const kay = useKay();
const NOTHING = '✗ No prompt given.\n  Pass a question: kay ask "what is open in project KAY?"\n';

/** Runs a request against a backend that accepts everything, and returns the request that it got. */
async function getRequest(ann: Machine, words: string[], setting?: RunSetting) {
  await ann("whoami");
  ann.place.network.on("POST /ask", { json: { status: "completed", message: "yes" } });
  const { exit, stderr } = await ann(["ask", ...words], setting);
  const { client: _, ...body } = (ann.place.network.seen.at(-1)?.body ?? {}) as Record<string, unknown>;
  return { exit, stderr, body };
}

const request = (prompt: string, more: object = {}) => ({
  prompt,
  interactive: false,
  confirm: false,
  time_zone: "UTC",
  ...more,
});

test.for<[string, string | string[]]>([
  ["nothing", ""],
  ["white space", "  \n"],
  ["a byte order mark", "\ufeff\r\n"],
])("C07 ask without a prompt and with %s on stdin is a usage error and sends nothing", async ([, stdin]) => {
  const ann = kay({ signedIn: true });
  for (const line of ["ask", "ask -", 'ask ""'])
    expect(await ann(line, { stdin })).toEqual({ exit: 2, stdout: "", stderr: NOTHING });
  expect(ann.place.network.calls()).toEqual([]);
});

test("C07 stdin is the prompt if there is none, without byte order mark and final line break", async () => {
  const stdin = [Uint8Array.of(0xef, 0xbb), Uint8Array.of(0xbf), "hi\r\n"];
  expect(await getRequest(kay({ signedIn: true }), [], { stdin })).toEqual({
    exit: 0,
    stderr: "",
    body: request("hi"),
  });
});

test("a prompt of - is stdin too, and waits as long as it takes", async () => {
  const ann = kay({ signedIn: true });
  async function* slow() {
    await ann.place.clock.sleep(3_500);
    yield new TextEncoder().encode("show ");
    await ann.place.clock.sleep(3_500);
    yield new TextEncoder().encode("KAY-3");
  }
  expect(await getRequest(ann, ["-"], { stdin: slow })).toEqual({ exit: 0, stderr: "", body: request("show KAY-3") });
});

test("stdin joins a prompt as context, in full, even if it arrives in pieces that split characters", async () => {
  const bytes = new TextEncoder().encode("会議 👩‍💻 é\nsecond\n");
  const stdin = [...bytes].map((byte) => Uint8Array.of(byte));
  expect(await getRequest(kay({ signedIn: true }), ["sum", "up"], { stdin })).toEqual({
    exit: 0,
    stderr: "",
    body: request("sum up", { context: { stdin: "会議 👩‍💻 é\nsecond" } }),
  });
});

test("a pipe that stays open and silent is ignored after 3 s, with a line on stderr", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const begun = ann.place.clock.now();
  expect(await getRequest(ann, ["hello"], { stdin: "silent" })).toEqual({
    exit: 0,
    stderr: "No input on stdin for 3 s; asking without it (`kay ask -` waits).\n",
    body: request("hello"),
  });
  expect(ann.place.clock.now() - begun).toBeGreaterThanOrEqual(3_000);
  expect(ann.place.clock.now() - begun).toBeLessThan(10_000);
});

test("a pipe that starts within 3 s is read to its end", async () => {
  const ann = kay({ signedIn: true });
  async function* slow() {
    yield new TextEncoder().encode("a");
    await ann.place.clock.sleep(3_900);
    yield new TextEncoder().encode("b");
  }
  expect((await getRequest(ann, ["hello"], { stdin: slow })).body).toEqual(
    request("hello", { context: { stdin: "ab" } }),
  );
});

test.each([
  ["Latin-1", Buffer.from("h\xe9llo w\xf6rld\n", "latin1")],
  ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
  ["text with a NUL", Buffer.from("a\0b")],
  ["half a character", Buffer.from("gr\xfc", "latin1")],
])("B241 %s on stdin is refused, as in a file, and nothing is sent", async (_, stdin) => {
  const ann = kay({ signedIn: true });
  for (const words of ["ask read", "ask -", "ask --file - read", "config set model -"])
    expect(await ann(words, { stdin: [stdin] })).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        "✗ stdin is not text: it must be UTF-8.\n  Convert it first, for example with `iconv -f latin1 -t utf-8`.\n",
    });
  expect(ann.place.network.calls()).toEqual([]);
});

test("B241 UTF-16 with a byte order mark, as PowerShell writes it, is text", async () => {
  const stdin = [Buffer.from("\ufeffhi\r\n", "utf16le")];
  expect(await getRequest(kay({ signedIn: true }), [], { stdin })).toEqual({
    exit: 0,
    stderr: "",
    body: request("hi"),
  });
});

test("more than 1 MiB on stdin is refused", async () => {
  const stdin = Array.from({ length: 17 }, () => "x".repeat(65_536));
  expect(await kay({ signedIn: true })("ask hello", { stdin })).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ stdin is larger than 1 MiB.\n  Send less.\n",
  });
});

test("ask on a terminal does not read from it", async () => {
  expect(await getRequest(kay({ signedIn: true }), ["hello"], { terminal: true, types: ["typed"] })).toMatchObject({
    exit: 0,
    body: request("hello"),
  });
});

test("C08 ask - at a terminal that cannot prompt does not wait for it", async () => {
  expect(await kay({ signedIn: true })("ask -", { terminal: true, env: { CI: "true", NO_COLOR: "1" } })).toEqual({
    exit: 2,
    stdout: "",
    stderr: NOTHING,
  });
});

test.for<[string, string[], object]>([
  ["after --", ["--", "- summarise this"], request("- summarise this")],
  ["with a space", ["- summarise this"], request("- summarise this")],
  ["with a line end", ["--words\nand more"], request("--words\nand more")],
  ["with --confirm", ["--confirm", "Delete X"], request("Delete X", { confirm: true })],
  ["and --json after", ["Delete", "--json"], request("Delete")],
  ["in several words", ["what", "is", "open?"], request("what is open?")],
])("C09 a prompt %s", async ([, words, body]) => {
  expect(await getRequest(kay({ signedIn: true }), words)).toEqual({ exit: 0, stderr: "", body });
});

test("C09 an unknown option is a usage error with a suggestion", async () => {
  const ann = kay();
  expect(await ann(["ask", "--confim", "x"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Unknown option '--confim'.\n  Did you mean --confirm?\n",
  });
  expect(await ann(["ask", "--words"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Unknown option '--words'.\n  Run `kay help ask`. Put text that begins with a dash after --.\n",
  });
});

test("C09 the same holds for every command, and for the values of options", async () => {
  const ann = kay({ signedIn: true });
  await ann('ask "show KAY-3"');
  expect(await ann(["sessions", "rename", "latest", "- a title"])).toMatchObject({ exit: 0 });
  expect((await ann(["sessions", "show", "- a title"])).exit).toBe(0);
  expect((await ann(["ask", "--resume", "- a title", "show KAY-4"])).exit).toBe(0);
});

test.for([["\0\0"], ["\u200b\u00a0"], ["\u001b\r\n"]])(
  "C07 invisible characters alone are not a prompt: %j",
  async ([stdin = ""]) => {
    const ann = kay({ signedIn: true });
    await ann("whoami");
    ann.place.network.seen.length = 0;
    expect(await ann("ask", { stdin })).toEqual({ exit: 2, stdout: "", stderr: NOTHING });
    expect(ann.place.network.calls()).toEqual([]);
  },
);
