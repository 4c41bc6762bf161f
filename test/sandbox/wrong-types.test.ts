import { expect, test } from "vitest";
import { PROVIDERS, type ProviderName } from "#sandbox/seed";
import { sandbox } from "./stand-in.ts";
import { type Row, VALID_REQUESTS } from "./valid-requests.ts";

const WRONG_VALUES = [null, true, -1, 1e21, "", "x", "\u0000💥", [], {}, [null], [[]], [{}], { x: null }];
const WRONG_TEXTS = ["", "x", "-1", "1e21", "2026-99-99", "%", "(", '"', "\\", "💥"];
const HEADERS = { "notion-version": "2026-03-11", "linkedin-version": "202605", "x-restli-protocol-version": "2.0.0" };

/** The value with each part of it replaced by wrong ones, and with each field left out. */
function* replaceParts(value: unknown): Generator<unknown> {
  yield* WRONG_VALUES;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const replace = (wrong: unknown) =>
      Array.isArray(value)
        ? value.map((item, index) => (String(index) === key ? wrong : item))
        : { ...value, [key]: wrong };
    for (const wrong of replaceParts(part)) yield replace(wrong);
    yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  }
}

/** Derives invalid requests from a valid one: its path, its query, and its body. */
function* deriveRequests([method, path, body]: Row): Generator<Row> {
  yield [method, path, body];
  const url = new URL(path, "http://stand-in.test");
  for (const name of url.searchParams.keys())
    for (const text of WRONG_TEXTS) {
      const query = new URLSearchParams(url.searchParams);
      query.set(name, text);
      yield [method, `${url.pathname}?${query}`, body];
    }
  const parts = url.pathname.split("/");
  for (const index of parts.keys())
    for (const wrong of ["x", "%00", "%20", "%F0%9F%92%A5", "%ZZ", "__proto__"])
      if (index > 0) yield [method, parts.with(index, wrong).join("/") + url.search, body];
  if (method === "GET") return;
  for (const text of ["", "{", "null", "[]", "--b\r\n\r\n{}\r\n--b--", "--b"]) yield [method, path, text];
  if (typeof body === "object") for (const wrong of replaceParts(body)) yield [method, path, JSON.stringify(wrong)];
}

test.for(Object.keys(VALID_REQUESTS) as ProviderName[])(
  "%s refuses a request of wrong types like the service, and never fails",
  async (name) => {
    const failures: string[] = [];
    for (const row of VALID_REQUESTS[name]) {
      const user = await sandbox().signIn(name, Object.keys(PROVIDERS[name].oauth.scopes).join(" "));
      for (const [method, path, body] of deriveRequests(row)) {
        const type = path.startsWith("/upload") ? "multipart/related; boundary=b" : "application/json";
        const text = typeof body === "object" ? JSON.stringify(body) : body;
        const { status } = await user.call(path.replace("CLOUD", user.cloudId), {
          method,
          headers: { ...HEADERS, "content-type": type },
          ...(method === "GET" ? {} : { body: text }),
        });
        if (status >= 500) failures.push(`${status} ${method} ${path} ${text}`);
      }
    }
    expect(failures).toEqual([]);
  },
);
