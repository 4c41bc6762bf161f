import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Heap growth between two samples below which this process is idle, in bytes. */
const IDLE_GROWTH = 1024 * 1024;

/** Number of idle samples before memory is released. */
const IDLE_SAMPLES = 2;

/** Growth of the reserved heap since the last release that makes a release worthwhile, in bytes. */
const MIN_GROWTH = 8 * 1024 * 1024;

/** Used heap above which a release would stop this process for too long, in bytes. */
const MAX_HEAP = 128 * 1024 * 1024;

/**
 * Returns a function to call every second, which releases memory when work has ended. V8 alone may never release the
 * memory of a peak in an idle process.
 *
 * @param memory returns the used and the reserved heap in bytes
 */
export function createRestWatch(
  memory: () => { heapUsed: number; heapTotal: number },
  release = releaseMemory,
): () => void {
  let { heapUsed: last, heapTotal: reserved } = memory();
  let idleSamples = 0;
  return () => {
    const { heapUsed, heapTotal } = memory();
    idleSamples = Math.abs(heapUsed - last) < IDLE_GROWTH ? idleSamples + 1 : 0;
    last = heapUsed;
    if (idleSamples < IDLE_SAMPLES || heapTotal - reserved < MIN_GROWTH || heapUsed > MAX_HEAP) return;
    release();
    ({ heapUsed: last, heapTotal: reserved } = memory());
  };
}

/** Collects all garbage and returns its memory to the system. Stops this process for 2 to 3 ms per MB in use. */
function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
