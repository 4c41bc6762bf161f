import { parentPort, workerData } from "node:worker_threads";
import { runJq } from "./engine.ts";

/** The thread that jq runs in, since an expression may have no end: each text that comes is answered by what came of it, in order. */
const { expression } = workerData as { expression: string };
let before = Promise.resolve();

parentPort?.on("message", (text: string) => {
  before = before.then(async () => parentPort?.postMessage(await runJq(expression, text)));
});
