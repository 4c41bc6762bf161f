import { Problem, toProblemBody } from "#protocol/errors";

/**
 * Reads the JSON object in a request's body. An empty body counts as `{}`, since calls without fields may send none.
 *
 * @throws Problem INVALID_REQUEST
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  return parseJsonBody(await request.text());
}

/** Parses a body as {@link readJsonBody}. @throws Problem INVALID_REQUEST */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === "") return {};
  if (isTooDeep(text))
    throw new Problem("INVALID_REQUEST", `The body of the request is nested more than ${MAX_DEPTH} levels deep.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("INVALID_REQUEST", "The body is not valid JSON.", { cause });
  }
}

/** Levels of lists and objects in a body. Deeper ones would overflow the stack of a parser. */
const MAX_DEPTH = 100;

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isQuoted) {
      if (character === "\\") index++;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === "{" || character === "[") {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}

/**
 * Rejects a body of more than `limit` bytes. A body without a length in its headers is read into memory.
 *
 * @param extend called once for a larger body; returns the limit that applies to it, in bytes
 * @throws Problem PAYLOAD_TOO_LARGE
 */
export async function limitBody(request: Request, limit: number, extend?: () => Promise<number>): Promise<Request> {
  if (request.method === "GET" || request.method === "HEAD") return request;
  let currentLimit = limit;
  const check = async (size: number) => {
    if (size <= currentLimit) return;
    if (extend && currentLimit === limit) currentLimit = Math.max(limit, await extend());
    if (size > currentLimit) throw tooLargeProblem(currentLimit);
  };
  const { headers } = request;
  const length = headers.get("content-length");
  await check(Number(length ?? 0));
  // Node's parser delivers exactly that much. A further `Request` costs more than the reading of its body.
  if (length !== null && !headers.has("transfer-encoding")) return request;
  if (request.body === null) return request;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    await check(size);
    chunks.push(chunk);
  }
  const { url, method, signal } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}

/** Describes an expected error, with when to try again and which methods a path has. `more` joins the body. */
export function toProblemResponse(problem: Problem, more?: { status: "error" }): Response {
  const { retry_after: retryAfter, allow } = problem.details;
  return Response.json(
    { ...more, ...toProblemBody(problem) },
    {
      status: problem.status,
      headers: {
        ...(typeof retryAfter === "number" ? { "retry-after": String(retryAfter) } : {}),
        ...(Array.isArray(allow) ? { allow: allow.join(", ") } : {}),
      },
    },
  );
}

function tooLargeProblem(limit: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", `The body of the request is larger than ${limit} bytes.`);
}

/** Parses a whole number of a query. @throws Problem INVALID_REQUEST */
export function parseWholeNumber(field: string, text: string, maximum: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= maximum) return number;
  throw new Problem("INVALID_REQUEST", `“${field}” must be a whole number from 1 to ${maximum}.`, {
    details: { field },
  });
}
