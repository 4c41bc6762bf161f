import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a program in the foreground and answers its exit code (128 + the signal's number when a signal ended it).
 * SIGTERM and SIGHUP are passed on. SIGINT and SIGQUIT reach the program from the terminal by themselves, since it shares the process
 * group; they are passed on only where there is no terminal, so that one Ctrl+C never counts twice.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options] standard streams are inherited unless told otherwise
 * @returns {Promise<number>}
 */
export function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", ...options });
    const stop = passSignals(child);
    child.once("error", (error) => {
      stop();
      reject(error);
    });
    child.once("close", (code, signal) => {
      stop();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/** @param {import("node:child_process").ChildProcess} child */
function passSignals(child) {
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  /** @type {[NodeJS.Signals, () => void][]} */
  const handlers = [
    ["SIGTERM", () => child.kill("SIGTERM")],
    ["SIGHUP", () => child.kill("SIGHUP")],
    ["SIGINT", () => terminal || child.kill("SIGINT")],
    ["SIGQUIT", () => terminal || child.kill("SIGQUIT")],
  ];
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}
