import { expect, test } from "vitest";
import { type ModeQuestion, resolveMode } from "#backend/approvals/policies";
import type { Access, ToolMode } from "#connectors/tool";
import type { Policy, PolicyMode } from "#protocol/conversations";

const BEFORE = "confirm_before_execution";
const AFTER = "confirm_after_execution";
const MODES: ToolMode[] = ["auto", AFTER, BEFORE];
const DECLARED = [undefined, ...MODES];
const ACCESS: Access[] = ["read", "write", "destructive"];
const TARGETS = ["*", "slack", "slack.send_message"];
const POLICIES: (PolicyMode | undefined)[] = [undefined, "ask", "reads", "everything"];

type Case = {
  access: Access;
  declared?: ToolMode;
  policies?: Policy[];
  writes?: ModeQuestion["writes"];
  fromInput?: ToolMode;
};

function effective({ access, declared, policies = [], writes = BEFORE, fromInput }: Case) {
  const mode = declared === undefined ? {} : { mode: declared };
  const tool = { name: "slack.send_message", service: "slack", access, ...mode };
  return resolveMode({ tool, policies, writes, ...(fromInput === undefined ? {} : { fromInput }) });
}

test.for([
  ["read", undefined, "auto", "auto"],
  ["read", "auto", "auto", "auto"],
  ["read", AFTER, AFTER, AFTER],
  ["read", BEFORE, BEFORE, BEFORE],
  ["write", undefined, BEFORE, "auto"],
  ["write", "auto", "auto", "auto"],
  ["write", AFTER, AFTER, AFTER],
  ["write", BEFORE, BEFORE, BEFORE],
  ["destructive", undefined, BEFORE, BEFORE],
  ["destructive", "auto", "auto", "auto"],
  ["destructive", AFTER, AFTER, AFTER],
  ["destructive", BEFORE, BEFORE, BEFORE],
] as const)("without a policy a %s tool that declares %s is %s where writes ask, %s where they do not", (row) => {
  const [access, declared, asking, running] = row;
  const question = { access, ...(declared === undefined ? {} : { declared }) };
  expect(effective({ ...question, writes: BEFORE }).mode).toBe(asking);
  expect(effective({ ...question, writes: "auto" }).mode).toBe(running);
});

test.for([
  // policy, access, and the mode for a tool that declares nothing, auto, confirm after, confirm before
  ["ask", "read", BEFORE, BEFORE, BEFORE, BEFORE],
  ["ask", "write", BEFORE, BEFORE, BEFORE, BEFORE],
  ["ask", "destructive", BEFORE, BEFORE, BEFORE, BEFORE],
  ["reads", "read", "auto", "auto", AFTER, "auto"],
  ["reads", "write", BEFORE, BEFORE, BEFORE, BEFORE],
  ["reads", "destructive", BEFORE, BEFORE, BEFORE, BEFORE],
  ["everything", "read", "auto", "auto", AFTER, "auto"],
  ["everything", "write", "auto", "auto", AFTER, "auto"],
  ["everything", "destructive", "auto", "auto", AFTER, "auto"],
] as const)("the policy “%s” replaces the default of a %s tool, whatever it was", ([mode, access, ...expected]) => {
  for (const target of TARGETS)
    for (const writes of ["auto", BEFORE] as const) {
      const modes = DECLARED.map((declared) =>
        effective({ access, policies: [{ target, mode }], writes, ...(declared === undefined ? {} : { declared }) }),
      );
      expect(modes.map((policy) => policy.mode)).toEqual(expected);
    }
});

test("among several policies that apply, the strictest wins, in any order, and those of others do not count", () => {
  const others: Policy[] = [
    { target: "slack.read_channel", mode: "ask" },
    { target: "slack.send", mode: "ask" },
    { target: "jira", mode: "ask" },
    { target: "slac", mode: "ask" },
  ];
  let cases = 0;
  for (const access of ACCESS)
    for (const declared of DECLARED)
      for (const set of combinations()) {
        const question = { access, ...(declared === undefined ? {} : { declared }) };
        const single = set.map((policy) => effective({ ...question, policies: [policy] }).mode);
        const expected = single.length > 0 ? strictest(single) : effective(question).mode;
        for (const policies of [[...others, ...set], [...set].reverse().concat(others)])
          expect(effective({ ...question, policies }).mode).toBe(expected);
        cases++;
      }
  expect(cases).toBe(3 * 4 * 64);
});

test("no policy relaxes what the arguments require, and arguments never relax a policy", () => {
  for (const access of ACCESS)
    for (const policies of combinations())
      for (const fromInput of MODES) {
        const without = effective({ access, policies }).mode;
        expect(effective({ access, policies, fromInput }).mode).toBe(strictest([without, fromInput]));
      }
});

test("what limits a tool limits raw requests to its service, and what frees it does not free them", () => {
  const all: Policy = { target: "slack", mode: "everything" };
  const ask = (target: string, mode: PolicyMode) => {
    const tool = { name: "http_request", service: "slack", access: "write" as const };
    return resolveMode({ tool, policies: [all, { target, mode }], writes: BEFORE }).mode;
  };
  expect(ask("slack.send_message", "ask")).toBe(BEFORE);
  expect(ask("gmail.send_message", "ask")).toBe("auto");
  const tool = { name: "http_request", service: "slack", access: "write" as const };
  const policies: Policy[] = [{ target: "slack.send_message", mode: "everything" }];
  expect(resolveMode({ tool, policies, writes: BEFORE }).mode).toBe(BEFORE);
});

test("only a policy that says so asks every time", () => {
  for (const policies of combinations())
    expect(effective({ access: "write", policies }).everyTime).toBe(policies.some(({ mode }) => mode === "ask"));
});

test.for([
  [{ access: "read" }, "a tool that only reads runs without asking"],
  [{ access: "write" }, "a tool that changes something asks before it runs unless a policy says otherwise"],
  [
    { access: "write", writes: "auto" },
    "a tool that changes something runs without asking unless a policy says otherwise",
  ],
  [{ access: "destructive" }, "a change that cannot be undone asks before it runs"],
  [
    { access: "read", declared: AFTER },
    "the tool slack.send_message runs and then asks unless a policy says otherwise",
  ],
  [{ access: "read", policies: [{ target: "slack", mode: "ask" }] }, "your policy for slack is to ask every time"],
  [
    { access: "write", policies: [{ target: "slack.send_message", mode: "reads" }] },
    "your policy for slack.send_message is to run only reads",
  ],
  [
    { access: "write", policies: [{ target: "*", mode: "everything" }] },
    "your policy for everything is to run everything",
  ],
  [
    { access: "write", policies: [{ target: "*", mode: "everything" }], fromInput: BEFORE },
    "with these arguments slack.send_message always asks before it runs",
  ],
  [{ access: "write", fromInput: BEFORE }, "with these arguments slack.send_message always asks before it runs"],
  [
    { access: "write", policies: [{ target: "slack", mode: "ask" }], fromInput: BEFORE },
    "your policy for slack is to ask every time",
  ],
] as [Case, string][])("%j: %s", ([question, why]) => {
  expect(effective(question).why).toBe(why);
});

/** Every combination of policies for the three targets that apply. */
function combinations(): Policy[][] {
  return POLICIES.flatMap((all) =>
    POLICIES.flatMap((service) =>
      POLICIES.map((tool) =>
        [all, service, tool].flatMap((mode, index) => (mode ? [{ target: TARGETS[index] ?? "", mode }] : [])),
      ),
    ),
  );
}

function strictest(modes: ToolMode[]): ToolMode {
  return modes.reduce((one, other) => (MODES.indexOf(other) > MODES.indexOf(one) ? other : one));
}
