import { Problem } from "#protocol/errors";

/**
 * The JSON object in a request's body; nothing at all counts as `{}`, since the guide's calls without fields may send no body.
 *
 * @throws Problem INVALID_REQUEST
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("INVALID_REQUEST", "The body of the request is not JSON.", { cause });
  }
}

/**
 * A request whose body is whole in memory and not larger than `limit` bytes, whatever `Content-Length` says.
 *
 * @throws Problem PAYLOAD_TOO_LARGE
 */
export async function limitBody(request: Request, limit: number): Promise<Request> {
  if (request.method === "GET" || request.method === "HEAD" || request.body === null) return request;
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}

function tooLarge(limit: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", `The body of the request is larger than ${limit} bytes.`);
}
