#!/usr/bin/env node
// The launcher. It must parse on any Node, so that an old Node prints a sentence instead of a syntax error: CommonJS, ES2015,
// built-in modules without their prefix. It answers `--version` without the bundle and without opening the stdout stream (6 ms).

const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const args = process.argv.slice(2);
let hasEnded = false;

// A umask that denies the owner would make kay's own files unreadable.
process.umask(process.umask(0o077) & 0o077);

if (args.length === 1 && (args[0] === "--version" || args[0] === "-V" || args[0] === "version"))
  say(1, manifest.version);
else if (!isNewEnough(manifest.engines.node)) startOnPinnedNode();
else if (args[0] === "__complete") complete();
else if (!asksForHelp() || !help()) start();

function start() {
  const main = path.join(root, "dist", "main.js");
  if (!fs.existsSync(main)) return fail("kay is not built here.\n  Run `npm run build`.");
  // A command whose promise never settles would otherwise exit with 0.
  process.on("exit", (code) => {
    if (hasEnded || code !== 0) return;
    process.exitCode = 1;
    say(2, "✗ kay ended in the middle of its work. Run `kay doctor`, and report it.");
  });
  const cache = compileCache();
  if (cache) require("module").enableCompileCache(cache);
  const greeted = greet();
  try {
    require(main).main(args, greeted).then(end, crash);
  } catch (error) {
    crash(error);
  }
}

/**
 * Answers the completion scripts of the shells (`completions`) with a separate program, which loads in 10 ms. Errors print nothing,
 * because the shell would show them in the line that the user types.
 */
function complete() {
  const dist = path.join(root, "dist");
  try {
    const ports = {
      env: process.env,
      platform: process.platform,
      home: require("os").homedir(),
      cwd: process.cwd(),
      table: path.join(dist, "completion.json"),
      now: Date.now(),
    };
    say(1, require(path.join(dist, "complete.js")).runComplete(args.slice(1), ports));
  } catch (_) {
    process.exitCode = 1;
  }
}

/**
 * Prints a help page that the build rendered, in a third of the time that the command tree takes. The bundle handles everything else.
 *
 * @returns whether it printed a page
 */
function help() {
  const dist = path.join(root, "dist");
  try {
    const text = require(path.join(dist, "help.js")).findHelpPage(args, path.join(dist, "help.json"), columns);
    if (text !== null) say(1, text.replace(/\n$/, ""));
    return text !== null;
  } catch (_) {
    return false;
  }
}

/** Returns the width of the terminal, or that of KAY_FORCE_TTY. Opens the stdout stream (8 ms) only for a terminal. */
function columns() {
  if (process.env.KAY_FORCE_TTY) return Number(process.env.KAY_FORCE_TTY) > 0 ? Number(process.env.KAY_FORCE_TTY) : 80;
  return (fs.fstatSync(1).isCharacterDevice() && process.stdout.columns) || 80;
}

/**
 * Announces a session before the bundle is loaded (30 ms), if it certainly is a session and color is allowed. Otherwise, the session
 * announces itself later.
 *
 * @returns whether it was announced
 */
function greet() {
  if (args.length > 1 || (args.length === 1 && args[0] !== "ask") || process.env.TERM === "dumb") return false;
  const undecided =
    /^(CI|GITHUB_ACTIONS|GITLAB_CI|BUILDKITE|TEAMCITY_VERSION|JENKINS_URL|TF_BUILD|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|ACCESSIBLE|INK_SCREEN_READER|KAY_FORCE_TTY)$/;
  if (!isOnTerminal() || Object.keys(process.env).some((name) => undecided.test(name))) return false;
  say(1, `\x1b[2mkay ${manifest.version} · /help\x1b[22m`);
  return true;
}

/** Ends the process. All output is written by now, so an open socket or timer must not delay the shell. */
function end(code) {
  hasEnded = true;
  process.exitCode = code;
  setTimeout(() => process.exit(), 50).unref();
}

/** Reports a bug, because `main` words every expected error. Node alone would also print a line of minified source. */
function crash(error) {
  fail(`kay failed unexpectedly. ${error instanceof Error ? error.stack : error}`);
}

/**
 * Returns the folder for V8's compiled code, in the user's cache folder. Returns undefined if the home folder is missing, is `/`, or
 * belongs to another user (sudo). Help pages create no folder.
 */
function compileCache() {
  const xdg = process.env.XDG_CACHE_HOME;
  const home = xdg && path.isAbsolute(xdg) ? xdg : process.env.HOME || process.env.USERPROFILE;
  const folder = home === xdg ? "" : process.platform === "darwin" ? "Library/Caches" : ".cache";
  if (!home || !path.isAbsolute(home) || path.parse(home).root === path.resolve(home)) return undefined;
  const cache = path.join(home, folder, "kay", "compiled");
  try {
    if (process.getuid && fs.statSync(home).uid !== process.getuid()) return undefined;
    if (!asksForHelp()) makeFolders(cache);
    return isClosed(cache) && isClosed(path.dirname(cache)) ? cache : undefined;
  } catch (_) {
    return undefined;
  }
}

/** Creates folders step by step, because Node's `recursive` loops forever if an existing folder reports ENOENT (/proc, automounts). */
function makeFolders(folder) {
  if (fs.existsSync(folder)) return;
  makeFolders(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/** Whether only this user can write to the folder. Node runs the code in it, and a umask of 0 would let every user write. */
function isClosed(folder) {
  const stat = fs.statSync(folder);
  return !process.getuid || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0);
}

function asksForHelp() {
  return (
    (args.length === 0 && !isOnTerminal()) ||
    args[0] === "help" ||
    args.indexOf("--help") >= 0 ||
    args.indexOf("-h") >= 0
  );
}

/** Whether input and output are terminals, as a session requires. */
function isOnTerminal() {
  const tty = require("tty"); // with the streams, 4 ms
  return tty.isatty(0) && tty.isatty(1) && tty.isatty(2);
}

/** Restarts kay with the Node that `npm ci` installed in the repository. Elsewhere, prints the required version. */
function startOnPinnedNode() {
  const node = path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!fs.existsSync(node)) return fail(`kay needs Node ${manifest.engines.node}; this is ${process.versions.node}.`);
  let child;
  passSignals((signal) => child.kill(signal)); // Before the start, so that a signal during it does not end only this process.
  child = require("child_process").spawn(node, [__filename].concat(args), { stdio: "inherit" });
  child.on("error", (error) => fail(`Could not start ${node}: ${error.message}.`));
  child.on("exit", (code, signal) => {
    process.exitCode = signal ? 128 + require("os").constants.signals[signal] : code;
  });
}

/** Passes signals to the child. A terminal sends SIGINT and SIGQUIT to both processes, so these are passed only without one. */
function passSignals(pass) {
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => pass(signal));
  for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => terminal || pass(signal));
}

/** Whether this Node is in a range of the form `>=22.19`. */
function isNewEnough(range) {
  const required = range.replace(">=", "").split(".").map(Number);
  const current = process.versions.node.split(".").map(Number);
  return current[0] > required[0] || (current[0] === required[0] && current[1] >= required[1]);
}

function fail(text) {
  say(2, `✗ ${text}`);
  process.exitCode = 1;
}

/**
 * Writes a line without opening the stream. A pipe that does not block takes only what fits; the rest needs the stream. Output to a
 * closed pipe is dropped.
 */
function say(descriptor, text) {
  let rest = Buffer.from(`${text}\n`);
  try {
    while (rest.length > 0) rest = rest.subarray(fs.writeSync(descriptor, rest));
  } catch (error) {
    if (error.code === "EAGAIN") (descriptor === 1 ? process.stdout : process.stderr).write(rest);
    else if (error.code !== "EPIPE") {
      process.exitCode = 1;
      if (descriptor === 1) say(2, `✗ The output could not be written (${error.code}).`);
    }
  }
}
