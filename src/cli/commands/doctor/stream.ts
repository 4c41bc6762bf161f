import { BlockList } from "node:net";
import { isLoopbackHost } from "#net/addresses";
import { findProxy } from "#net/proxy";
import { Problem } from "#protocol/errors";
import { type Check, type Finding, fail, ok, skip } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Beats within fewer ms say nothing about the route. */
const SPREAD_MS = 200;

/** Tests whether a real event stream from the backend arrives as it is sent, or is buffered on the way. */
export const streamCheck: Check = {
  id: "stream",
  title: "Stream",
  async look(facts) {
    const link = await facts.connect();
    const beats = await link.api.beats({ signal: facts.signal }).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "TIMED_OUT") return "nothing" as const;
      throw error;
    });
    if (beats === null) return skip("This backend has no test stream.");
    if (beats === "nothing") return warnHeldBack(facts, link.baseUrl, "Event streams do not get through.");
    const [first, last] = [beats[0], beats.at(-1)];
    if (!first || !last || beats.length < 2)
      return warnHeldBack(facts, link.baseUrl, "Event streams are cut off on the way.");
    const sentSpan = last.sentAt - first.sentAt;
    const came = last.cameAt - first.cameAt;
    if (sentSpan > SPREAD_MS && came < sentSpan / 2) {
      return warnHeldBack(
        facts,
        link.baseUrl,
        `An event stream arrives all at once, ${(sentSpan / 1000).toFixed(1)} s late.`,
      );
    }
    return ok(`${beats.length} events arrived as they were sent.`);
  },
};

/** Names the proxy in between: this machine's, otherwise the one in front of the backend. */
function warnHeldBack({ kay }: CheckContext, baseUrl: string, summary: string): Finding {
  const url = new URL(baseUrl);
  const isHere = url.protocol === "http:" && isLoopbackHost(url.hostname);
  const proxy = isHere ? null : findProxy(url, kay.env, BlockList);
  const fix = proxy
    ? `Configure the proxy in ${proxy.variable} to pass text/event-stream without buffering, or add ${url.hostname} to NO_PROXY.`
    : `The administrator of ${url.hostname} must turn off response buffering in front of it (nginx: proxy_buffering off).`;
  return fail(`${summary} Answers in a session appear only when they are complete.`, fix);
}
