import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Growth of the heap between two looks, in bytes, below which this process is at rest. */
const RESTING = 1024 * 1024;

/** Looks at rest before memory is released. */
const LOOKS = 2;

/** Bytes that the heap must have reserved since the last release. */
const WORTH = 8 * 1024 * 1024;

/** Bytes in use above which memory is not released, because that would stop this process for too long. */
const MOST = 128 * 1024 * 1024;

/**
 * Returns a function that is called every second and releases memory when work has ended. V8 alone keeps the memory of a
 * peak until it happens to collect all garbage, which it may never do in a process at rest.
 *
 * @param memory returns the used and the reserved heap in bytes
 */
export function createRestWatch(
  memory: () => { heapUsed: number; heapTotal: number },
  release = releaseMemory,
): () => void {
  let { heapUsed: last, heapTotal: reserved } = memory();
  let looks = 0;
  return () => {
    const { heapUsed, heapTotal } = memory();
    looks = Math.abs(heapUsed - last) < RESTING ? looks + 1 : 0;
    last = heapUsed;
    if (looks < LOOKS || heapTotal - reserved < WORTH || heapUsed > MOST) return;
    release();
    ({ heapUsed: last, heapTotal: reserved } = memory());
  };
}

/** Collects all garbage and returns its memory to the system. It stops this process for 2 to 3 ms for each MB in use. */
function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
