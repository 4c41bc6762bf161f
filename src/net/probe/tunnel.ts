import type { Socket } from "node:net";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { type HttpProxy, maskProxy } from "../proxy.ts";

/** Longest head of an answer, in bytes. */
const HEAD_LIMIT = 16_384;

/**
 * Requests a tunnel from a proxy (CONNECT, RFC 9110 section 9.3.6).
 *
 * @throws Problem PROXY_INVALID when the credentials are rejected, UNREACHABLE for any other refusal
 */
export async function openTunnel(
  socket: Socket,
  proxy: HttpProxy,
  url: URL,
  limit: AbortSignal,
): Promise<{ state: "ok"; message: string }> {
  const target = `${url.hostname}:${url.port || 443}`;
  const { username, password } = proxy.url;
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const credentials =
    username || password ? `Proxy-Authorization: Basic ${Buffer.from(userInfo).toString("base64")}\r\n` : "";
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`);
  const head = await readHead(socket, limit);
  const [, status = "", reason = ""] = /^HTTP\/1\.[01] (\d{3})[ ]?([^\r\n]*)/.exec(head) ?? [];
  if (/^2\d\d$/.test(status)) return { state: "ok", message: `The proxy connects to ${target}.` };
  const label = `${maskProxy(proxy)} (${proxy.variable})`;
  if (status === "407") {
    throw new Problem("PROXY_INVALID", `The proxy ${label} rejected the credentials (407).`, {
      hint: `Add the user and password to ${proxy.variable}: http://user:password@host:port.`,
    });
  }
  if (status === "") {
    throw new Problem("UNREACHABLE", `The server at ${label} is not an HTTP proxy.`, {
      hint: `Set ${proxy.variable} to an http: or https: proxy, or unset it.`,
    });
  }
  const statusLine = clean(`${status} ${reason}`.trim(), { lines: false, max: 60 });
  throw new Problem("UNREACHABLE", `The proxy ${label} refused to connect to ${target} (${statusLine}).`, {
    hint: `Allow ${target} in the proxy, or add ${url.hostname} to NO_PROXY to bypass it.`,
  });
}

function readHead(socket: Socket, limit: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let head = "";
    const end = () => {
      socket.off("data", onData).off("close", end).off("error", end);
      resolve(head);
    };
    const onData = (bytes: Buffer) => {
      head += bytes.toString("latin1");
      if (head.includes("\r\n\r\n") || head.length > HEAD_LIMIT || !"HTTP/".startsWith(head.slice(0, 5))) end();
    };
    socket.on("data", onData).once("close", end).once("error", end);
    limit.addEventListener("abort", end, { once: true });
  });
}
