import { expect, test } from "vitest";
import { approval, begins, calls, createAnswer } from "#test/parts";
import { play } from "#test/player";
import { findFocusedCard, listCards } from "#ui/session/open-cards";

/** A session whose step asks about this many messages, all visible. */
function withPlan(count = 3, width = 80, height = 40) {
  const player = play(width, height);
  player.parts(...begins(), calls("slack.send_message", {}));
  player.parts(...Array.from({ length: count }, (_, index) => part(index + 1, count)));
  player.settle();
  player.did();
  const rows = () => player.draw().card.map((row) => row.map(({ text }) => text).join(""));
  return { ...player, rows, focused: () => findFocusedCard(player.now())?.id };
}

function part(n: number, of: number) {
  return approval({
    interaction_id: `int_${n}`,
    tool_call_id: `c${n}`,
    preview: { summary: `Message ${n}`, access: "write", fields: [{ name: "text", value: `text ${n}` }] },
    plan: { id: "plan_1", n, of },
  });
}

const approves = (id: string) => ({
  do: "act",
  card: { id },
  act: { do: "answer", answer: { action: "approve", approval_scope: "once" } },
});

test("the approvals of a step are shown as one plan, and one key approves exactly these", () => {
  const { rows, press, did, now, focused } = withPlan();
  const text = rows().join("\n");
  expect(text).toContain("Approve ─ 3 changes");
  for (const n of [1, 2, 3]) {
    expect(text).toContain(`${n} of 3 ─ slack.send_message ─ writes`);
    expect(text).toContain(`text ${n}`);
  }
  expect(text).toMatch(/a approve all 3 {3}tab one by one {3}n deny all/);
  expect(focused()).toBe("int_1 int_2 int_3");
  press("a");
  expect(did()).toMatchObject([approves("int_1"), approves("int_2"), approves("int_3")]);
  expect(listCards(now()).map(({ id }) => id)).toEqual(["int_1", "int_2", "int_3"]);
  press("1", "a");
  expect(did()).toEqual([]);
});

test("a plan longer than the window is approved only after all of it was on the screen", () => {
  const { press, did, rows, wait, draw } = withPlan(4, 40, 12);
  expect(rows().length).toBeLessThanOrEqual(10);
  press("a");
  expect(did()).toEqual([]);
  press("<end>");
  draw();
  press("a");
  expect(did()).toEqual([]);
  press("<home>");
  for (let page = 0; page < 30; page++) {
    draw();
    press("<pagedown>");
  }
  draw();
  wait(400);
  press("a");
  expect(did()).toMatchObject(["int_1", "int_2", "int_3", "int_4"].map(approves));
});

test("a plan is denied as a whole, with a reason", () => {
  const { press, type, did } = withPlan(2);
  press("n");
  type("not now");
  press("<enter>");
  const answer = { action: "deny", reason: "not now" };
  expect(did()).toMatchObject([
    { card: { id: "int_1" }, act: { answer } },
    { card: { id: "int_2" }, act: { answer } },
  ]);
});

test("one by one: Tab leads to the first, and each answer to the next; the rest can be approved together", () => {
  const { press, did, parts, settle, focused, rows } = withPlan();
  press("<tab>");
  settle();
  expect(focused()).toBe("int_1");
  expect(rows()[0]).toContain("1 of 3");
  press("1");
  expect(did()).toMatchObject([approves("int_1")]);
  parts(createAnswer({ interaction_id: "int_1", action: "approve" }));
  settle();
  expect(focused()).toBe("int_2");
  press("<shift-tab>");
  settle();
  expect(focused()).toBe("int_2 int_3");
  press("a");
  expect(did()).toMatchObject([approves("int_2"), approves("int_3")]);
});

test("an approval that was answered elsewhere leaves the plan, whose keys count only after it was drawn again", () => {
  const { press, did, parts, settle, draw, focused, draft } = withPlan();
  parts(createAnswer({ interaction_id: "int_2", action: "deny", client: "kay on desk" }));
  press("a");
  expect([did(), draft(), focused()]).toEqual([[], "a", "int_1 int_3"]);
  press("<backspace>");
  draw();
  settle();
  press("a");
  expect(did()).toMatchObject([approves("int_1"), approves("int_3")]);
});

test("an edit is shown in the plan and sent with it", () => {
  const { press, did, event, settle, rows } = withPlan(2);
  press("<tab>", "<tab>");
  settle();
  event({ type: "edited", of: "int_2", text: '{"text":"other words"}' });
  press("<shift-tab>", "<shift-tab>");
  settle();
  expect(rows().join("\n")).toContain("other words");
  press("a");
  expect(did()).toMatchObject([
    approves("int_1"),
    { card: { id: "int_2" }, act: { answer: { action: "approve", edited_args: { text: "other words" } } } },
  ]);
});

test("a refused answer reopens its card with the reason, and a single approval is not a plan", () => {
  const { press, did, event, settle, rows, parts, focused } = withPlan(2);
  press("a");
  did();
  parts(createAnswer({ interaction_id: "int_1", action: "approve" }));
  event({ type: "refused", card: "int_2", error: "The channel is gone." });
  settle();
  expect(focused()).toBe("int_2");
  expect(rows().join("\n")).toContain("✗ The channel is gone.");
});

test("three approvals that open together ring once", () => {
  const player = play();
  player.event({ type: "key", key: { name: "blur", text: "", ctrl: false, alt: false, shift: false, at: 0 } });
  player.parts(...begins(), part(1, 2), part(2, 2));
  expect(player.all().filter((effect) => effect.do === "opened" && effect.unseen)).toHaveLength(1);
});

test("the status line shows plan mode", () => {
  expect(play(80, 24, { plan: true }).draw().status).toContain("plan mode");
});
