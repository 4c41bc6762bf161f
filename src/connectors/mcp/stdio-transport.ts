import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import type { Program, ProgramEnd, Programs, SpawnOptions } from "./programs.ts";

/** Longest message of a program in bytes. A program that sends more is ended. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Characters of stderr that are kept to explain why a program ended. */
const MAX_ERROR_LENGTH = 2_000;

/** A server that runs as a program on this machine. */
export type ProgramOptions = SpawnOptions & { command: string[]; programs: Programs };

/** The library's transport over a program's stdin and stdout, which also says how the program ended. */
export type ProgramTransport = Transport & {
  /**
   * Returns why the program ended, as the end of a sentence: "ended with code 1 (“no such folder”)". Undefined while it
   * runs or when kay ended it.
   */
  ending(): string | undefined;
};

/** Creates the transport. Messages are lines of JSON (MCP, "stdio"); other output is ignored. */
export function createProgramTransport({ programs, command, ...options }: ProgramOptions): ProgramTransport {
  const buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  let program: Program | undefined;
  let errors = "";
  let ending: string | undefined;
  let closing = false;
  const read = (chunk: Buffer) => {
    try {
      buffer.append(chunk);
    } catch (error) {
      ending ??= "sent a message that is too large";
      transport.onerror?.(error as Error);
      void transport.close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        transport.onerror?.(error as Error);
      }
    }
  };
  const transport: ProgramTransport = {
    start: async () => {
      program = programs.start(command, options, {
        output: read,
        errors: (chunk) => {
          errors = (errors + chunk.toString("utf8")).slice(-MAX_ERROR_LENGTH);
        },
        ended: (how) => {
          if (!closing) ending ??= getEnding(how, errors);
          program = undefined;
          transport.onclose?.();
        },
      });
    },
    send: async (message: JSONRPCMessage) => {
      if (!program) throw new Error("The program has ended.");
      await program.write(serializeMessage(message));
    },
    close: async () => {
      closing = true;
      const running = program;
      program = undefined;
      await running?.end();
      buffer.clear();
    },
    ending: () => ending,
  };
  return transport;
}

/** The last line on stderr usually says why. */
function getEnding({ code, signal, fault }: ProgramEnd, errors: string): string {
  if (fault !== undefined)
    return fault === "ENOENT" ? "was not found" : `could not be started (${cleanLine(fault, 60)})`;
  const last = errors
    .split("\n")
    .map((line) => cleanLine(line, 200))
    .filter(Boolean)
    .at(-1);
  const how = signal ? `was ended by ${cleanLine(signal, 20)}` : `ended with code ${code ?? "unknown"}`;
  return last ? `${how} (“${last}”)` : how;
}
