import { Worker } from "node:worker_threads";
import type { JqResult, JqThread } from "./engine.ts";

/**
 * Starts the thread of one expression.
 *
 * @param file the thread's program
 * @param limitMs how long one run may take
 */
export function startJqThread(file: URL, expression: string, limitMs: number): JqThread {
  // Output of the program's runtime is not kay's output.
  const worker = new Worker(file, { workerData: { expression }, stdout: true, stderr: true });
  const waiters: ((ran: JqResult) => void)[] = [];
  let isOver: "time" | "fault" | undefined;
  const end = (reason: "time" | "fault") => {
    isOver ??= reason;
    void worker.terminate();
    for (const resolve of waiters.splice(0)) resolve({ ended: isOver });
  };
  worker.on("message", (ran: JqResult) => waiters.shift()?.(ran));
  worker.on("error", () => end("fault"));
  return {
    run(text) {
      if (isOver) return Promise.resolve({ ended: isOver });
      const ran = new Promise<JqResult>((resolve) => waiters.push(resolve));
      worker.postMessage(text);
      const timer = setTimeout(() => end("time"), limitMs);
      return ran.finally(() => clearTimeout(timer));
    },
    end: () => end("fault"),
  };
}
