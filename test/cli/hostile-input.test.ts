import { expect, test } from "vitest";
import { useKay } from "#test/kay";

const kay = useKay();

test.for([
  ["little", "fffe"],
  ["big", "feff"],
])("a prompt from a UTF-16 file (%s endian), as Windows writes it, is read", async ([order, mark = ""]) => {
  const ann = kay({ signedIn: true });
  const text = Buffer.from("close 会議 KAY-3\r\n", "utf16le");
  const stdin = [Buffer.from(mark, "hex"), order === "big" ? text.swap16() : text];
  ann.place.network.on("POST /ask", { json: { status: "completed", message: "ok" } });
  expect(await ann("ask -", { stdin })).toMatchObject({ exit: 0, stdout: "ok\n" });
  const request = ann.place.network.seen.find(({ url }) => url.endsWith("/ask"));
  expect(request?.body).toMatchObject({ prompt: "close 会議 KAY-3" });
});

test.for([["ftp://x"], ["http://h/a?b"], ["garbage"], ["http://u:hunter2@h"], [""]])(
  "kay serve refuses %o as its public address before it starts",
  async ([url = ""]) => {
    const ann = kay();
    const { exit, stderr } = await ann(["serve", "--public-url", url]);
    expect([exit, ann.served, stderr.includes("hunter2")]).toEqual([2, [], false]);
  },
);

test("kay serve accepts its public address without a trailing slash", async () => {
  const ann = kay();
  await ann("serve --public-url https://KAY.example.test/base/");
  expect(ann.served).toMatchObject([{ publicUrl: "https://kay.example.test/base" }]);
});

test.each([
  [["connect", ""], "Specify a service to connect."],
  [["confirm", "", "--approve"], "The token is empty."],
  [["tools", "show", ""], "The tool is empty."],
  [["sessions", "rename", "latest", ""], "The title is empty."],
  [["policy", "set", "", "ask"], "The target is empty."],
])("%j, from an unset variable, is a usage error before anything is sent", async (argv, sentence) => {
  const ann = kay({ signedIn: true });
  const { exit, stderr } = await ann(argv);
  expect([exit, stderr.split("\n")[0], ann.place.network.calls()]).toEqual([2, `✗ ${sentence}`, []]);
});

test("a command whose name has several lines is repeated on one", async () => {
  expect(await kay()(["ask\nx"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Unknown command 'ask x'.\n  Did you mean ask?\n",
  });
});
