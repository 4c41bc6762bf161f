import { expect, test } from "vitest";
import { configureServices } from "#connectors/catalogue";
import { getGenericAccess, isPlainPath } from "#connectors/http/generic-request";

const services = configureServices({ sandbox: {}, clients: {} });
const getAccess = (name: string, method: string, path: string) => {
  const configuration = services.find(({ service }) => service.name === name);
  return getGenericAccess(configuration?.service ?? {}, { method, path });
};

test.each([
  ["jira", "GET", "/rest/api/3/myself"],
  ["jira", "POST", "/rest/api/3/search/jql"],
  ["confluence", "GET", "/wiki/api/v2/pages?limit=5"],
  ["github", "GET", "/user/repos"],
  ["notion", "POST", "/v1/data_sources/0a1b/query"],
  ["hubspot", "POST", "/crm/v3/objects/deals/search"],
  ["slack", "GET", "/conversations.history?channel=C1"],
  ["slack", "POST", "/users.profile.get"],
])("%s: %s %s only reads", (name, method, path) => {
  expect(getAccess(name, method, path)).toBe("read");
});

test.each([
  ["slack", "GET", "/chat.postMessage", "write"],
  ["slack", "GET", "/chat.postMessage?channel=C1&text=users.list", "write"],
  ["slack", "GET", "/chat%2EpostMessage", "write"],
  ["slack", "GET", "/users.list/../chat.postMessage", "write"],
  ["slack", "GET", "/conversations.invite", "write"],
  ["slack", "GET", "/conversations.archive", "destructive"],
  ["slack", "POST", "/chat.delete", "destructive"],
  ["slack", "GET", "/usersXlist", "write"],
  ["jira", "POST", "/rest/api/3/issue", "write"],
  ["jira", "DELETE", "/rest/api/3/issue/KAY-1", "destructive"],
  ["github", "PUT", "/user/starred/a/b", "write"],
  ["kyg", "GET", "/anything", "write"],
])("%s: %s %s asks, as a %s call", (name, method, path, access) => {
  expect(getAccess(name, method, path)).toBe(access);
});

test.each([
  { path: "/rest/api/3/issue/KAY-1?_method=DELETE" },
  { path: "/rest/api/3/issue/KAY-1?expand=names;_method=DELETE" },
  { path: "/rest/api/3/issue/KAY-1?%5Fmethod=DELETE" },
  { path: "/rest/api/3/issue/KAY-1;X-HTTP-Method=DELETE" },
  { path: "/rest/api/3/issue/KAY-1", query: { $httpMethod: "DELETE" } },
  { path: "/rest/api/3/issue/KAY-1", query: { "X-HTTP-Method-Override": "PUT" } },
  { path: "/rest/api/3/issue/KAY-1", query: { "$http-headers": "Authorization: x" } },
  { path: "/rest/api/3/issue/KAY-1", query: { access_token: "x" } },
])("a parameter that makes another request of a read cannot be undone: $path $query", (request) => {
  const jira = services.find(({ service }) => service.name === "jira")?.service ?? {};
  expect(getGenericAccess(jira, { method: "GET", ...request })).toBe("destructive");
});

test("GraphQL by GET is a write, and pages and words with such names stay reads", () => {
  expect(getAccess("github", "GET", "/graphql?query=mutation%7Bx%7D")).toBe("write");
  expect(getAccess("github", "GET", "/repos/a/graphql-js/issues?pageToken=3&methods=a")).toBe("read");
});

test("every built-in service but the in-house one says what reads", () => {
  const silent = services
    .filter(({ service }) => !service.api?.genericReads?.length)
    .map(({ service }) => service.name);
  expect(silent).toEqual(["kyg"]);
});

test.each(["/", "/rest/api/3/myself", "/a/b?c=%20d&e=f", "/v1/pages/a-b_c.d~e", "/a%20b"])(
  "%s is a plain path",
  (path) => {
    expect(isPlainPath(path)).toBe(true);
  },
);

test.each([
  "",
  "rest",
  "//evil.example/x",
  "/\\evil.example/x",
  "/a/../b",
  "/a/./b",
  "/..",
  "/%2e%2e/x",
  "/a/%2E./x",
  "/a\\b",
  "/a#b",
  "/a b",
  "/a\nb",
  "/ä",
])("%j is refused as a path", (path) => {
  expect(isPlainPath(path)).toBe(false);
});
