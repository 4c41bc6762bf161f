import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CliPorts } from "#cli/ports";
import { type MachineOptions, parseDocument, useKay } from "#test/kay";
import { WELL } from "#test/well-machine";

const kay = useKay();

/** A machine whose paths have every character that the two formats quote. Its system programs are fake. */
function machine(options: MachineOptions & { fails?: string } = {}) {
  const { fails, ...more } = options;
  const calls: string[] = [];
  const runProgram: CliPorts["runProgram"] = async (program, args) => {
    calls.push([program, ...args].join(" "));
    return args.includes(fails ?? "") ? { code: 1, stderr: "Failed to connect to bus\n" } : { code: 0, stderr: "" };
  };
  const home = { execPath: '/opt/no de/100%/a&b<c>/$HOME/"node"', launcher: "/opt/kay $1/bin\\kay.js", uid: 501 };
  const ann = kay({
    platform: "linux",
    programs: ["systemctl", "launchctl"],
    ...more,
    world: { runProgram, machine: { ...WELL, ...home } },
    env: { PATH: "/usr/bin:/opt/100% a&b", OPENAI_API_KEY: "sk-secret", KAY_MODEL: "openai:x", ...more.env },
  });
  return { ann, calls };
}

test("kay serve --install writes a systemd unit and starts it; --uninstall removes it", async () => {
  const { ann, calls } = machine();
  const file = join(ann.folder, "systemd/user/kay.service");
  const installed = await ann("serve --install");
  expect(installed).toMatchObject({
    exit: 0,
    stdout: "Wrote /home/ann/systemd/user/kay.service.\nYour local backend starts when you log in.\n",
  });
  expect(installed.stderr).toContain("OPENAI_API_KEY");
  expect(installed.stderr).toContain("/home/ann/kay/serve.env");
  expect(calls).toEqual([
    "systemctl --user daemon-reload",
    "systemctl --user enable kay.service",
    "systemctl --user restart kay.service",
  ]);
  expect(readFileSync(file, "utf8").replaceAll(ann.folder, "/home/ann")).toBe(String.raw`[Unit]
Description=kay backend

[Service]
ExecStart="/opt/no de/100%%/a&b<c>/$HOME/\"node\"" "--max-semi-space-size=2" "/opt/kay $$1/bin\\kay.js" "serve" "--embedded" "--stay" "--profile" "default"
Environment="PATH=/usr/bin:/opt/100%% a&b"
Environment="XDG_CONFIG_HOME=/home/ann"
Environment="XDG_STATE_HOME=/home/ann"
Environment="XDG_DATA_HOME=/home/ann"
Environment="KAY_MODEL=openai:x"
EnvironmentFile=-/home/ann/kay/serve.env
Restart=on-failure
RestartSec=5
SuccessExitStatus=143

[Install]
WantedBy=default.target
`);
  expect(statSync(file).mode & 0o077).toBe(0);
  calls.length = 0;
  expect(await ann("serve --uninstall")).toEqual({
    exit: 0,
    stdout: "Removed /home/ann/systemd/user/kay.service.\n",
    stderr: "",
  });
  expect(calls).toEqual(["systemctl --user disable --now kay.service", "systemctl --user daemon-reload"]);
  expect(existsSync(file)).toBe(false);
  expect(await ann("serve --uninstall")).toMatchObject({ exit: 1, stderr: expect.stringContaining("not installed") });
});

test("on macOS it is a launchd property list", async () => {
  const { ann, calls } = machine({ platform: "darwin" });
  const file = join(ann.folder, "Library/LaunchAgents/io.github.kay-agent.kay.plist");
  expect((await ann("serve --install")).exit).toBe(0);
  expect(calls).toEqual(["launchctl bootout gui/501/io.github.kay-agent.kay", `launchctl bootstrap gui/501 ${file}`]);
  const text = readFileSync(file, "utf8");
  expect(text).toContain('<string>/opt/no de/100%/a&amp;b&lt;c&gt;/$HOME/"node"</string>');
  expect(text).toContain("<string>--stay</string>");
  expect(text).toContain(`<string>${ann.folder}/kay/serve.env</string>`);
  expect(text).not.toContain("sk-secret");
  calls.length = 0;
  expect((await ann("serve --uninstall")).exit).toBe(0);
  expect(calls).toEqual(["launchctl bootout gui/501/io.github.kay-agent.kay"]);
  expect(existsSync(file)).toBe(false);
});

test("without systemctl, or if it fails, kay says what to type", async () => {
  const commands = [
    "systemctl --user daemon-reload",
    "systemctl --user enable kay.service",
    "systemctl --user restart kay.service",
  ];
  const absent = machine({ programs: [] });
  expect((await absent.ann("serve --install")).stdout).toBe(
    `Wrote /home/ann/systemd/user/kay.service.\nStart it with:\n  ${commands.join("\n  ")}\n`,
  );
  expect(absent.calls).toEqual([]);
  const failing = machine({ fails: "daemon-reload" });
  const { stdout, stderr } = await failing.ann("serve --install");
  expect(stdout).toContain("Start it with:");
  expect(stderr).toContain("systemctl failed: Failed to connect to bus");
  expect(parseDocument(await failing.ann("serve --install --json"))).toMatchObject({
    installed: "/home/ann/systemd/user/kay.service",
    started: false,
    commands,
  });
});

test("the command of the service runs the local backend, which stays when it is idle", async () => {
  const { ann } = machine();
  await ann("serve --embedded --stay --profile default");
  expect(ann.served).toMatchObject([{ embedded: true, stay: true }]);
});

test("other platforms get one sentence", async () => {
  const { ann } = machine({ platform: "win32" });
  for (const line of ["serve --install", "serve --uninstall"])
    expect(await ann(line)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("only for systemd (Linux) and launchd (macOS)"),
    });
});

test("kay every mentions kay serve --install until it was run", async () => {
  const { ann } = machine({ own: true, signedIn: true, env: { KAY_MODEL: "offline" } });
  expect((await ann(["every", "hour", "hello"])).stderr).toContain("`kay serve --install` starts it when you log in.");
  await ann("serve --install");
  expect((await ann(["every", "hour", "hello"])).stderr).not.toContain("--install");
});
