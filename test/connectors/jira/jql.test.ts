import fc from "fast-check";
import { expect, test } from "vitest";
import { buildJql, describeFilter } from "#connectors/jira/jql";
import { tokenize } from "#sandbox/query/lexer";

test.each([
  [{}, "updated >= -90d ORDER BY updated DESC"],
  [{ project: "KAY", status: "open" }, 'project = "KAY" AND statusCategory != Done ORDER BY updated DESC'],
  [{ status: "closed" }, "statusCategory = Done ORDER BY updated DESC"],
  [{ status: "In Progress" }, 'status = "In Progress" ORDER BY updated DESC'],
  [{ status: "started" }, 'statusCategory = "In Progress" ORDER BY updated DESC'],
  [{ status: "todo" }, 'statusCategory = "To Do" ORDER BY updated DESC'],
  [{ status: "In Review" }, 'status = "In Review" ORDER BY updated DESC'],
  [{ status: "all", type: "stories" }, 'issuetype = "Story" ORDER BY updated DESC'],
  [{ assignee: "me" }, "assignee = currentUser() ORDER BY updated DESC"],
  [{ assignee: "unassigned" }, "assignee IS EMPTY ORDER BY updated DESC"],
  [{ text: 'a "b" (c) -d*' }, 'text ~ "a b c d" ORDER BY updated DESC'],
  [{ project: 'X" OR project = "Y' }, 'project = "X\\" OR project = \\"Y" ORDER BY updated DESC'],
  [{ project: "a\\" }, 'project = "a\\\\" ORDER BY updated DESC'],
])("%j is searched as %s", (filter, jql) => {
  expect(buildJql(filter)).toBe(jql);
});

test("a user is searched by account ID", () => {
  expect(buildJql({ assignee: "Ana" }, { assignee: "557058:ana" })).toBe(
    'assignee = "557058:ana" ORDER BY updated DESC',
  );
});

test("no value can escape its quotes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (value) => {
      const line = value.replace(/\s+/g, " ").trim();
      fc.pre(line !== "");
      const [field, operator, text, and] = tokenize(buildJql({ project: value, status: "open" }));
      expect([field?.value, operator?.value, text?.value, and?.value]).toEqual(["project", "=", line, "AND"]);
    }),
  );
});

test.each([
  [{}, 2, "issues"],
  [{ project: "KAY", status: "open" }, 1, "open issue in KAY"],
  [{ type: "story", assignee: "me", status: "done" }, 2, "done stories assigned to you"],
  [{ status: "In Progress", assignee: "Ana" }, 2, "issues with status In Progress assigned to Ana"],
  [{ status: "todo" }, 1, "issue not started"],
  [{ status: "In Review", text: "login" }, 2, "issues with status In Review about “login”"],
])("%j reads as words", (filter, number, words) => {
  expect(describeFilter(filter, number)).toBe(words);
});
