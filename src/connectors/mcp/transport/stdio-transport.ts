import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { listSecretForms } from "../../http/target.ts";
import type { Program, ProgramEnd, Programs, SpawnOptions } from "../programs.ts";
import { findCause } from "./failure-cause.ts";
import { createLineReader, parseMessage } from "./message.ts";
import { createMessageRepair } from "./repair.ts";

/** Longest message of a program in bytes. A program that sends more is ended. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Variables with secrets. Others may hold a path, which a program names in its answers. */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/** Characters of output that are kept to explain why a program ended: room for a stack trace after the reason. */
const MAX_OUTPUT_LENGTH = 16_000;

/** A server that runs as a program on this machine. */
export type ProgramOptions = SpawnOptions & { command: string[]; programs: Programs };

/** The library's transport over a program's stdin and stdout, which also says how the program ended. */
export type ProgramTransport = Transport & {
  /**
   * Returns why the program ended, as the end of a sentence: "ended with code 1 (“no such folder”)". Undefined while it
   * runs or when kay ended it.
   */
  ending(): string | undefined;
  /** Returns what the program last said besides messages, in one line; undefined if nothing. */
  lastOutput(): string | undefined;
};

/** Creates the transport. Messages are lines of JSON (MCP, "stdio"); other output may say why the program ends. */
export function createProgramTransport({ programs, command, ...options }: ProgramOptions): ProgramTransport {
  const lines = createLineReader(MAX_MESSAGE_BYTES);
  const repair = createMessageRepair();
  const secrets = programs.readValues((options.env ?? []).filter((name) => SECRET_NAME.test(name)));
  repair.noteSecrets(secrets.flatMap((secret) => listSecretForms(undefined, secret)));
  const [errors, others] = [createOutputTail(), createOutputTail()];
  let program: Program | undefined;
  let ending: string | undefined;
  let closing = false;
  const findLastOutput = () =>
    findCause(repair.hideSecrets(errors.text())) ?? findCause(repair.hideSecrets(others.text()));
  const readLine = (text: string) => {
    const line = repair.hideSecrets(text);
    const value = parseJson(line);
    // A message may follow a log without a line break, or another message.
    const pieces = value === undefined ? line.split(/(?=\{\s*"jsonrpc"\s*:)/) : [];
    if (pieces.length > 1) return pieces.forEach(readLine);
    if (value === undefined) return others.add(`${line}\n`);
    try {
      for (const message of [repair.repairMessages(value)].flat()) transport.onmessage?.(parseJSONRPCMessage(message));
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  };
  const readChunk = (chunk: Buffer) => {
    try {
      lines.read(chunk).forEach(readLine);
    } catch (error) {
      ending ??= "sent a message that is too large";
      transport.onerror?.(error as Error);
      void transport.close();
    }
  };
  const transport: ProgramTransport = {
    start: async () => {
      const decoder = new TextDecoder();
      program = programs.start(command, options, {
        output: readChunk,
        errors: (chunk) => errors.add(decoder.decode(chunk, { stream: true })),
        onEnd: (end) => {
          lines.readRest().forEach(readLine);
          if (!closing) ending ??= formatEnding(end, findLastOutput());
          program = undefined;
          transport.onclose?.();
        },
      });
    },
    send: async (message: JSONRPCMessage) => {
      if (!program) throw new Error("The program has ended.");
      repair.noteRequests(message);
      await program.write(serializeMessage(message));
    },
    close: async () => {
      closing = true;
      const running = program;
      program = undefined;
      await running?.end();
    },
    ending: () => ending,
    lastOutput: findLastOutput,
  };
  return transport;
}

/** Keeps the last characters of an output. */
function createOutputTail(): { add(text: string): void; text(): string } {
  let tail = "";
  return {
    add: (text) => {
      tail = (tail + text).slice(-MAX_OUTPUT_LENGTH);
    },
    text: () => tail,
  };
}

function formatEnding({ code, signal, fault }: ProgramEnd, cause: string | undefined): string {
  if (fault !== undefined) return FAULTS[fault] ?? `could not be started (${cleanLine(fault, 60)})`;
  const outcome = signal ? `was ended by ${cleanLine(signal, 20)}` : `ended with code ${code ?? "unknown"}`;
  return cause ? `${outcome} (“${cause}”)` : outcome;
}

const FAULTS: Record<string, string> = {
  ENOENT: "was not found",
  EACCES: "is not a program that you may run",
  ENOTDIR: "cannot start, because its folder does not exist",
};

/** Returns the value of a line of JSON that may be a message, or undefined. */
function parseJson(line: string): unknown {
  if (!/^[{[]/.test(line)) return undefined;
  try {
    return parseMessage(line);
  } catch {
    return undefined;
  }
}
