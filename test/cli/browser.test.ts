import { expect, test } from "vitest";
import { type BrowserEnvironment, launchProgram, planBrowser } from "#cli/terminal/browser";

const URL =
  "https://auth.example.test/authorize?audience=api.example.test&client_id=cid&scope=read%3Ajira%20offline_access&state=a%26b^c&prompt=consent";
const WSL = "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f)";

function plan(changes: Partial<BrowserEnvironment> & { programs?: string[] } = {}, url = URL) {
  const { programs = [], ...more } = changes;
  return planBrowser(url, {
    env: {},
    platform: "linux",
    procVersion: () => "",
    find: (program) => (programs.includes(program) ? `/bin/${program}` : null),
    inCi: false,
    forbidden: false,
    ...more,
  });
}

test("A19 on Windows the URL is one argument of a program that takes it whole, not of cmd.exe", () => {
  expect(plan({ platform: "win32" })).toEqual({
    launch: { command: "rundll32", args: ["url.dll,FileProtocolHandler", URL] },
  });
});

test("A20 WSL is detected by /proc/version, and the whole URL goes to one Windows launcher", () => {
  const wsl = { procVersion: () => WSL };
  expect(plan({ ...wsl, programs: ["explorer.exe"] })).toEqual({
    launch: { command: "/bin/explorer.exe", args: [URL] },
  });
  expect(plan({ ...wsl, programs: ["explorer.exe", "rundll32.exe"] })).toEqual({
    launch: { command: "/bin/rundll32.exe", args: ["url.dll,FileProtocolHandler", URL] },
  });
  expect(plan({ ...wsl, programs: ["wslview", "xdg-open"] })).toEqual({
    launch: { command: "/bin/wslview", args: [URL] },
  });
  expect(plan({ ...wsl, programs: ["xdg-open"] })).toEqual({
    reason: "Found no way to open a Windows browser from WSL (wslview, rundll32.exe, explorer.exe).",
  });
});

test("A22 over SSH without a display no opener is started, even if there is one", () => {
  for (const env of [
    { SSH_TTY: "/dev/pts/3" },
    { SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22" },
    { SSH_CLIENT: "10.0.0.1 5 22" },
  ])
    expect(plan({ env, programs: ["xdg-open"] })).toEqual({ reason: "No browser is opened over SSH." });
});

test.for<[string, Partial<BrowserEnvironment> & { programs?: string[] }, object]>([
  [
    "a desktop",
    { env: { DISPLAY: ":0" }, programs: ["xdg-open"] },
    { launch: { command: "/bin/xdg-open", args: [URL] } },
  ],
  [
    "Wayland",
    { env: { WAYLAND_DISPLAY: "wayland-0" }, programs: ["xdg-open"] },
    { launch: { command: "/bin/xdg-open", args: [URL] } },
  ],
  [
    "a desktop over SSH with X forwarding",
    { env: { DISPLAY: ":10", SSH_TTY: "x" }, programs: ["xdg-open"] },
    { launch: { command: "/bin/xdg-open", args: [URL] } },
  ],
  [
    "a desktop without an opener",
    { env: { DISPLAY: ":0" } },
    { reason: "xdg-open is not installed, so no browser can be opened." },
  ],
  ["no display", { programs: ["xdg-open"] }, { reason: "There is no display to open a browser on." }],
  ["macOS", { platform: "darwin" }, { launch: { command: "open", args: [URL] } }],
  ["macOS over SSH", { platform: "darwin", env: { SSH_TTY: "x" } }, { reason: "No browser is opened over SSH." }],
  ["CI", { env: { DISPLAY: ":0" }, inCi: true }, { reason: "No browser is opened in CI." }],
  ["--no-browser", { forbidden: true, setting: "firefox" }, { reason: "Not opening a browser (--no-browser)." }],
])("with %s", (_case) => {
  const [, world, expected] = _case;
  expect(plan(world)).toEqual(expected);
});

test("$BROWSER is used if it is set: over SSH, in CI, without a display", () => {
  const env = { BROWSER: "firefox", SSH_TTY: "/dev/pts/3" };
  const launch = { command: "firefox", args: [URL] };
  expect(plan({ env })).toEqual({ launch });
  expect(plan({ env, inCi: true })).toEqual({ launch });
  expect(plan({ setting: "firefox", env: { BROWSER: "other" } })).toEqual({ launch });
});

test.for([
  ["firefox --new-window", "firefox", ["--new-window", URL]],
  ["firefox:chromium", "firefox", [URL]],
  ["lynx -a %s -b", "lynx", ["-a", URL, "-b"]],
  ['"/opt/My Browser/run" --x', "/opt/My Browser/run", ["--x", URL]],
  ["C:\\Browser\\b.exe", "C:\\Browser\\b.exe", [URL]],
] as const)("$BROWSER may be %s", ([browser, command, args]) => {
  expect(plan({ env: { BROWSER: browser } })).toEqual({ launch: { command, args } });
});

test.for(["none", "", "  "])("$BROWSER of %j opens nothing or counts as unset", (browser) => {
  expect(plan({ env: { BROWSER: browser } })).toHaveProperty("reason");
});

test.for([
  ["javascript:alert(1)", "Only https: addresses are opened, not javascript:"],
  ["file:///etc/passwd", "Only https: addresses are opened, not file:"],
  ["http://example.com/", "Only https: addresses are opened, not http:"],
  ["not a url", "That is not a web address; it is not opened."],
])("%s is never opened, not even by $BROWSER", ([url, reason]) => {
  expect(plan({ env: { BROWSER: "firefox" } }, url)).toEqual({ reason });
});

test.for(["http://127.0.0.1:4010/authorize", "http://localhost:4010/", "http://[::1]:4010/", "https://example.com/"])(
  "%s is opened",
  (url) => expect(plan({ platform: "darwin" }, url)).toEqual({ launch: { command: "open", args: [url] } }),
);

test.for([
  ["/bin/false", [], false],
  ["/bin/true", [], true],
  ["/bin/sleep", ["3"], true],
  ["/nowhere/browser", [], false],
  ["/bin/sh", ["-c", "kill -9 $$"], false],
] as const)("N23 the browser %s %j has opened the link: %s", async ([command, args, opened]) => {
  expect(await launchProgram({ command, args: [...args] })).toBe(opened);
});
