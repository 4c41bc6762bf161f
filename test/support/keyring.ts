import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSystemKeychain } from "#client/credentials/system-keychain";
import { until } from "./built/processes.ts";
import { realClock } from "./client-clock.ts";
import { temporaryFolder } from "./credentials.ts";

/**
 * A separate desktop session until the test ends: a bus that starts no services, and a home for a real gnome-keyring.
 */
export async function openKeyringSession() {
  const home = temporaryFolder();
  const address = join(home, "bus");
  const config = join(home, "bus.conf");
  writeFileSync(config, busConfig(address));
  const bus = start("dbus-daemon", [`--config-file=${config}`, "--nofork", "--nopidfile"], {});
  await until(() => existsSync(address), "there is no bus");
  const env = { PATH: process.env.PATH, HOME: home, DBUS_SESSION_BUS_ADDRESS: `unix:path=${address}` };
  const keychain = createSystemKeychain({
    platform: "linux",
    env,
    uid: process.getuid?.() ?? 0,
    execPath: process.execPath,
    clock: realClock,
  });
  // Its socket has a name before it listens.
  await until(async () => (await keychain.check()).state === "no-provider", "the bus does not answer");
  /** Starts the keyring; a password unlocks it, and creates it if there is none. */
  const startKeyring = async (password?: string) => {
    const args = ["--foreground", "--components=secrets", `--control-directory=${home}`];
    const daemon = start("gnome-keyring-daemon", password ? [...args, "--unlock"] : args, env);
    daemon.stdin?.end(password ?? "");
    await until(
      async () => !["no-provider", "no-collection"].includes((await keychain.check()).state),
      "the keyring does not answer",
    );
    return daemon;
  };
  return { bus, env, keychain, keyring: startKeyring };
}

/** Freezes a process. A signal takes effect a little later, so this waits until it is stopped. */
export async function freeze(child: ChildProcess): Promise<void> {
  child.kill("SIGSTOP");
  await until(() => readFileSync(`/proc/${child.pid}/stat`, "utf8").includes(") T "), "it does not stand still");
}

function start(program: string, args: string[], env: Record<string, string | undefined>): ChildProcess {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => stop(child));
  return child;
}

/** Kills a part of the session, and waits for its end. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

function busConfig(address: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`;
}
