import { expect, test } from "vitest";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { holdPlan } from "#test/session";

const kay = useKay();
const DONE = "Action confirmed and executed successfully\n";
const UNDECIDED = "✗ Specify --approve or --deny.\n  Use exactly one of them.\n";

const readStatus = async (ann: Machine) => /- Status: (.*)/.exec((await ann('ask "show KAY-4"')).stdout)?.[1];

test("confirm --approve runs what was shown, from another process", async () => {
  const ann = kay({ signedIn: true });
  const token = await holdPlan(ann);
  expect(await readStatus(ann)).toBe("To Do");
  expect(await ann(`confirm ${token} --approve`)).toEqual({
    exit: 0,
    stdout: expect.stringContaining(`${DONE}\nKAY-4 is now Done (it was To Do).\n`),
    stderr: expect.stringMatching(/^✓ Close KAY-4 \(move it to a status that counts as done\) {2}http\S+\n$/),
  });
  expect(await readStatus(ann)).toBe("Done");
});

test("confirm --deny does nothing, and exits 0 because it succeeded", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann(`confirm ${await holdPlan(ann)} --deny`)).toEqual({
    exit: 0,
    stdout: "Action cancelled by user\n",
    stderr: "",
  });
  expect(await readStatus(ann)).toBe("To Do");
});

test("confirm --json prints the guide's answer", async () => {
  const ann = kay({ signedIn: true });
  expect(parseDocument(await ann(`confirm ${await holdPlan(ann)} --deny --json`))).toEqual({
    status: "completed",
    message: "Action cancelled by user",
    generation_id: "gen_…",
    receipts: [],
  });
});

test("G18 a second confirm does nothing and reports the first answer", async () => {
  const ann = kay({ signedIn: true });
  const token = await holdPlan(ann);
  const [first, second] = [await ann(`confirm ${token} --approve`), await ann(`confirm ${token} --deny`)];
  expect(first).toMatchObject({ exit: 0 });
  expect(second).toEqual({
    exit: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^✗ The confirmation was already approved at 2026-11-27T12:00:0\d\.\d{3}Z\.\n {2}Check the result before you ask again\.\n$/,
    ),
  });
  expect(parseDocument(await ann(`confirm ${token} --approve --json`))).toMatchObject({
    status: "error",
    code: "CONFIRMATION_USED",
    answered: "approved",
  });
});

test("G18 the token of one user is worthless to another", async () => {
  const ann = kay({ signedIn: true });
  const token = await holdPlan(ann);
  const bob = kay({ signedIn: true, beside: ann });
  expect(await bob(`confirm ${token} --approve`)).toEqual({
    exit: 1,
    stdout: "",
    stderr: "✗ No confirmation has this token.\n  Ask again to get a new confirmation.\n",
  });
  expect(await ann(`confirm ${token} --approve`)).toMatchObject({ exit: 0 });
});

test("G18 a confirmation is valid for five minutes", async () => {
  const ann = kay({ signedIn: true });
  const token = await holdPlan(ann);
  ann.place.clock.advance(300_001);
  expect(await ann(`confirm ${token} --approve`)).toEqual({
    exit: 1,
    stdout: "",
    stderr: "✗ The confirmation expired after 5 minutes; nothing was done.\n  Ask again to get a new confirmation.\n",
  });
  expect(await readStatus(ann)).toBe("To Do");
});

test("confirm requires a token, exactly one answer, and a sign-in", async () => {
  const ann = kay();
  expect(await ann("confirm")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Missing required argument 'token'.\n  Run `kay help confirm`.\n",
  });
  expect(await ann("confirm x")).toEqual({ exit: 2, stdout: "", stderr: UNDECIDED });
  expect(await ann("confirm x --approve --deny")).toEqual({ exit: 2, stdout: "", stderr: UNDECIDED });
  expect(await ann("confirm x --approve")).toMatchObject({ exit: 4 });
});
