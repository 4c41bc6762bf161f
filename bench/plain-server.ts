import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The cost of a stream in Node itself: headers, one event, and then silence as long as somebody reads. Prints its
 * address.
 */
const server = createServer((_, answer) => {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  answer.write('data: {"type":"finish"}\n\n');
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` }, null, 2)}\n`);
});
