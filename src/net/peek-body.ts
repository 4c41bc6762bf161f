/** Reads the beginning of a body, which may say more of what it is than its content type. `whole` has all of it. */
export async function peekBody(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const [head, whole] = body.tee();
  const reader = head.getReader();
  const { value } = await reader.read();
  void reader.cancel().catch(() => {});
  return { start: new TextDecoder("utf-8", { ignoreBOM: true }).decode(value), whole };
}
