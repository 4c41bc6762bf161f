import type { Fetch } from "#net/ports";

/** What arrived at the fake outside world. */
type Sent = { method: string; url: string; headers: Headers; body: string; init: RequestInit };
type Answer = (sentRequest: Sent) => Response | Promise<Response>;

/** The outside of a backend: answers expected requests in order, and fails the test for any other. */
export type Outside = {
  fetch: Fetch;
  sent: Sent[];
  /** Expects one request `METHOD url` (without its query) and answers it. */
  expect(request: string, answer: Answer): void;
  /** Removes an expectation. Returns false if the request has arrived. */
  withdraw(request: string): boolean;
  /** Fails on a missing expected request, or an unknown one. */
  settled(): void;
};

export function createOutside(): Outside {
  const expected: { request: string; answer: Answer }[] = [];
  const unknown: string[] = [];
  const requests: Sent[] = [];
  return {
    sent: requests,
    expect: (request, answer) => void expected.push({ request, answer }),
    withdraw(request) {
      const index = expected.findIndex((expectation) => expectation.request === request);
      return index >= 0 && expected.splice(index, 1).length > 0;
    },
    settled() {
      const unsentRequests = expected.splice(0).map(({ request }) => request);
      const unknownRequests = unknown.splice(0);
      if (unsentRequests.length + unknownRequests.length > 0) {
        throw new Error(
          `never came: ${unsentRequests.join(", ") || "none"}; not expected: ${unknownRequests.join(", ") || "none"}`,
        );
      }
    },
    async fetch(url, init = {}) {
      const request = new Request(url, init);
      const name = `${request.method} ${url.split("?")[0]}`;
      const index = expected.findIndex((expectation) => expectation.request === name);
      const [match] = index < 0 ? [] : expected.splice(index, 1);
      // Which disconnection is an account's last depends on the order of tests.
      if (!match && name === "POST https://auth.atlassian.com/oauth/revoke") return new Response(null, { status: 200 });
      if (!match) {
        unknown.push(name);
        throw new TypeError(`nothing expects ${name}`);
      }
      const arrived = { method: request.method, url, headers: request.headers, body: await request.text(), init };
      requests.push(arrived);
      return match.answer(arrived);
    },
  };
}

/** An answer in JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return () => Response.json(body, { status, headers });
}
