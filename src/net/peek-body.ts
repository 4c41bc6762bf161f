/** Reads the beginning of a body, because its content type may be wrong. `whole` streams the complete body. */
export async function peekBody(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const [head, whole] = body.tee();
  const reader = head.getReader();
  const { value } = await reader.read();
  void reader.cancel().catch(() => {});
  return { start: new TextDecoder("utf-8", { ignoreBOM: true }).decode(value), whole };
}
