import jq from "jq-wasm/dist/build/jq.js";

/**
 * The result of one run of jq. `code` is jq's exit code: 0, 3 for an expression that does not compile, 5 for one that
 * fails.
 */
export type JqResult =
  | { code: number; output: string; errors: string }
  | { ended: "output" | "memory" | "time" | "fault" };

/** Limits of one run: its output and its memory, in bytes. */
const MOST_OUTPUT = 32 * 1024 * 1024;
const MOST_MEMORY = 512 * 1024 * 1024;

/** Parts of WebAssembly that Node's types leave out. */
type Instance = { exports: { E: { buffer: ArrayBuffer } } };
type WebAssembly = {
  Module: new (binary: Uint8Array) => object;
  Instance: new (module: object, imports: { a: Imports }) => Instance;
  instantiate: unknown;
};

/** Each run uses a separate instance, so that documents do not affect each other. The compiled code is shared. */
let compiled: object | undefined;

/**
 * Runs an expression over a JSON text, or only compiles it if the text is empty. Each result is one line of JSON.
 *
 * Blocks until it is done, possibly forever, so it needs a thread that can be ended.
 */
export async function runJq(expression: string, text: string): Promise<JqResult> {
  const wasm = Reflect.get(globalThis, "WebAssembly") as WebAssembly;
  const streams = createStreams(text);
  // Replaces the package's streams, which copy everything for each byte, and its view of the environment.
  wasm.instantiate = async (binary: Uint8Array, { a }: { a: Imports }) => {
    compiled ??= new wasm.Module(binary);
    const instance = new wasm.Instance(compiled, { a: streams.over(a) });
    streams.memory = instance.exports.E;
    return { instance, module: compiled };
  };
  // The package requires its location, which a bundle does not have, but reads no file there.
  Reflect.set(globalThis, "__dirname", "");
  const program = await jq();
  try {
    const code = program.callMain(["-c", "--", expression]);
    return { code, output: getText(streams.output), errors: getText(streams.errors) };
  } catch {
    const starved = getText(streams.errors).includes("cannot allocate memory");
    return { ended: streams.ended ?? (starved ? "memory" : "fault") };
  }
}

/** Functions that the program imports, by their names in version 1.0.1 of the package. */
type Imports = Record<"d" | "g" | "i" | "j" | "o", (...args: number[]) => number>;

type Streams = {
  output: Uint8Array[];
  errors: Uint8Array[];
  /** The program's memory, once it runs. */
  memory: { buffer: ArrayBuffer } | undefined;
  /** Set when the output limit is exceeded. */
  ended: "output" | undefined;
  over(imports: Imports): Imports;
};

function createStreams(text: string): Streams {
  const input = new TextEncoder().encode(text);
  let position = 0;
  let outputLength = 0;
  const streams: Streams = { output: [], errors: [], memory: undefined, ended: undefined, over: replaceImports };
  const getView = () => new DataView(streams.memory?.buffer ?? new ArrayBuffer(0));
  const writeAnswer = (offset: number, value: number) => {
    getView().setUint32(offset, value, true);
    return 0;
  };
  const read = (_file = 0, list = 0, count = 0, result = 0) => {
    const start = position;
    for (const room of listBuffers(getView(), list, count)) {
      const part = input.subarray(position, position + room.length);
      room.set(part);
      position += part.length;
    }
    return writeAnswer(result, position - start);
  };
  const write = (file = 0, list = 0, count = 0, result = 0) => {
    const parts = listBuffers(getView(), list, count).map((part) => part.slice());
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    (file === 1 ? streams.output : streams.errors).push(...parts);
    outputLength += length;
    if (outputLength <= MOST_OUTPUT) return writeAnswer(result, length);
    streams.ended = "output";
    throw new RangeError("too much output");
  };
  const reportNoEnvironment = (count = 0, size = 0) => writeAnswer(count, 0) || writeAnswer(size, 0);
  function replaceImports({ o: grow, ...imports }: Imports): Imports {
    const growWithin = (bytes = 0) => (bytes >>> 0 > MOST_MEMORY ? 0 : grow(bytes));
    return { ...imports, g: read, d: write, i: () => 0, j: reportNoEnvironment, o: growWithin };
  }
  return streams;
}

/** Reads the buffers of a read or write call (WASI `iovec`). */
function listBuffers(view: DataView, list: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => {
    const offset = list + index * 8;
    return new Uint8Array(view.buffer, view.getUint32(offset, true), view.getUint32(offset + 4, true));
  });
}

function getText(parts: Uint8Array[]): string {
  return Buffer.concat(parts).toString("utf8");
}

/** A thread that runs one expression of jq. */
export type JqThread = {
  /** Runs over this JSON text, or only compiles if it is empty. Ends at the thread's time limit. */
  run(text: string): Promise<JqResult>;
  end(): void;
};
