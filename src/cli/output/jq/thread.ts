import { parentPort, workerData } from "node:worker_threads";
import { runJq } from "./engine.ts";

/** The thread that jq runs in, because an expression may never end. It answers each text with its result, in order. */
const { expression } = workerData as { expression: string };
let previous = Promise.resolve();

parentPort?.on("message", (text: string) => {
  previous = previous.then(async () => parentPort?.postMessage(await runJq(expression, text)));
});
