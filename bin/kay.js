#!/usr/bin/env node
// The launcher. It has to parse on any Node, so that an old one gets a sentence instead of a syntax error: CommonJS, nothing after ES2015,
// built-in modules without their prefix. `--version` is answered here, without the bundle and without stdout's stream (6 ms by itself).

const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const args = process.argv.slice(2);
let ended = false;

if (args.length === 1 && (args[0] === "--version" || args[0] === "-V" || args[0] === "version"))
  say(1, manifest.version);
else if (!isNewEnough(manifest.engines.node)) startOnPinnedNode();
else if (args[0] === "__complete") complete();
else if (!asksForHelp() || !help()) start();

function start() {
  const main = path.join(root, "dist", "main.js");
  if (!fs.existsSync(main)) return fail("kay is not built here.\n  Run `npm run build`.");
  // A command that waits for something that can no longer come would end as if all were well.
  process.on("exit", (code) => {
    if (ended || code !== 0) return;
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
 * What a shell asks at each TAB (`completions`), answered by a program of its own, which loads in 10 ms. Whatever is wrong, nothing is said:
 * it would be written into the line that somebody types.
 */
function complete() {
  const dist = path.join(root, "dist");
  try {
    const world = { env: process.env, platform: process.platform, home: require("os").homedir(), cwd: process.cwd() };
    const more = { table: path.join(dist, "completion.json"), now: Date.now() };
    say(1, require(path.join(dist, "complete.js")).runComplete(args.slice(1), Object.assign(world, more)));
  } catch (_) {
    process.exitCode = 1;
  }
}

/**
 * A page of help, from what the build made of the tree of commands, which is a third of what the tree itself costs. What is no page, and
 * whatever is wrong, takes the usual way. @returns whether it was printed
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

/** Of the terminal, or what KAY_FORCE_TTY says. The stream that knows is opened only for a terminal (8 ms). */
function columns() {
  if (process.env.KAY_FORCE_TTY) return Number(process.env.KAY_FORCE_TTY) > 0 ? Number(process.env.KAY_FORCE_TTY) : 80;
  return (fs.fstatSync(1).isCharacterDevice() && process.stdout.columns) || 80;
}

/**
 * A session says that it begins before the bundle is loaded (30 ms), where there is no doubt that it is one and how that is shown; everywhere
 * else kay says it later.
 */
function greet() {
  if (args.length > 1 || (args.length === 1 && args[0] !== "ask") || process.env.TERM === "dumb") return false;
  const doubt =
    /^(CI|GITHUB_ACTIONS|GITLAB_CI|BUILDKITE|TEAMCITY_VERSION|JENKINS_URL|TF_BUILD|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|ACCESSIBLE|INK_SCREEN_READER|KAY_FORCE_TTY)$/;
  if (!isOnTerminal() || Object.keys(process.env).some((name) => doubt.test(name))) return false;
  say(1, `\x1b[2mkay ${manifest.version} · /help\x1b[22m`);
  return true;
}

/** Everything is written when `main` is done; a socket or a timer that is still open must not keep the shell waiting. */
function end(code) {
  ended = true;
  process.exitCode = code;
  setTimeout(() => process.exit(), 50).unref();
}

/** `main` words every error that is expected, so this is a bug. Its trace says where; Node by itself would add a line of minified source. */
function crash(error) {
  fail(`kay failed unexpectedly. ${error instanceof Error ? error.stack : error}`);
}

/**
 * Where V8 keeps compiled code between starts: in the person's own cache folder, never in a shared one. Nothing is written where it would
 * surprise: not for a home that does not exist, is `/` or is somebody else's (sudo), and not by merely asking for help.
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

/** Step by step: Node's own `recursive` never ends where the system says ENOENT below a folder that is there (/proc, automounts). */
function makeFolders(folder) {
  if (fs.existsSync(folder)) return;
  makeFolders(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/** Whether nobody else can put anything into a folder of one's own (a umask of 0 lets everybody): what lies there is run. */
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

/** Whether a person is at both ends, who gets a session. */
function isOnTerminal() {
  const tty = require("tty"); // with the streams, 4 ms
  return tty.isatty(0) && tty.isatty(1) && tty.isatty(2);
}

/** In the repository an older Node hands over to the one that `npm ci` brought; elsewhere it can only say what is needed. */
function startOnPinnedNode() {
  const node = path.join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!fs.existsSync(node)) return fail(`kay needs Node ${manifest.engines.node}; this is ${process.versions.node}.`);
  let child;
  passSignals((signal) => child.kill(signal)); // first, since a signal that comes while the child starts must not end only this process
  child = require("child_process").spawn(node, [__filename].concat(args), { stdio: "inherit" });
  child.on("error", (error) => fail(`The Node at ${node} does not start: ${error.message}.`));
  child.on("exit", (code, signal) => {
    process.exitCode = signal ? 128 + require("os").constants.signals[signal] : code;
  });
}

/** SIGINT and SIGQUIT come to both processes from the terminal, so they are passed on only where there is none: one Ctrl+C counts once. */
function passSignals(pass) {
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => pass(signal));
  for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => terminal || pass(signal));
}

/** Whether this Node is in a range of the form `>=22.19`. */
function isNewEnough(range) {
  const wanted = range.replace(">=", "").split(".").map(Number);
  const running = process.versions.node.split(".").map(Number);
  return running[0] > wanted[0] || (running[0] === wanted[0] && running[1] >= wanted[1]);
}

function fail(text) {
  say(2, `✗ ${text}`);
  process.exitCode = 1;
}

/** Writes without opening the stream; a pipe that is full for the moment gets the stream after all, one that nobody reads gets nothing. */
function say(descriptor, text) {
  try {
    fs.writeSync(descriptor, `${text}\n`);
  } catch (error) {
    if (error.code === "EAGAIN") (descriptor === 1 ? process.stdout : process.stderr).write(`${text}\n`);
    else if (error.code !== "EPIPE") {
      process.exitCode = 1;
      if (descriptor === 1) say(2, `✗ The output could not be written (${error.code}).`);
    }
  }
}
