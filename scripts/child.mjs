import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a program in the foreground and returns its exit code (128 + the signal's number if a signal ended it). Passes SIGTERM and SIGHUP on.
 * The terminal sends SIGINT and SIGQUIT to the whole process group; they are passed on only without a terminal, so that one Ctrl+C never counts
 * twice.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options] standard streams are inherited by default
 * @returns {Promise<number>}
 */
export function run(command, args, options) {
  return new Promise((resolve, reject) => {
    // Signals first: one that comes while the program starts must not end only this process.
    const stop = passSignals((signal) => child.kill(signal));
    const child = spawn(command, args, { stdio: "inherit", ...options });
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

/** @param {(signal: NodeJS.Signals) => void} pass */
function passSignals(pass) {
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  /** @type {NodeJS.Signals[]} */
  const signals = terminal ? ["SIGTERM", "SIGHUP"] : ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"];
  const ignore = () => {};
  for (const signal of signals) process.on(signal, pass);
  if (terminal) process.on("SIGINT", ignore);
  return () => {
    for (const signal of signals) process.off(signal, pass);
    process.off("SIGINT", ignore);
  };
}
