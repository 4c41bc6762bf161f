import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";

/** A session bus with an unlocked keyring of its own. Undefined where Debian's `dbus` and `gnome-keyring` are not installed. */
export async function keyring(folder: string): Promise<{ env: Record<string, string>; close(): void } | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const home = { PATH: process.env.PATH ?? "", HOME: folder, XDG_RUNTIME_DIR: folder, XDG_DATA_HOME: folder };
  const bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], {
    env: home,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const address = await firstLine(bus);
  if (!address) return undefined;
  const env = { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder };
  const daemon = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
    env: { ...home, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  daemon.stdin.end("bench\n");
  const close = () => {
    daemon.kill();
    bus.kill();
  };
  if (await firstLine(daemon)) return { env, close };
  close();
  return undefined;
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  const failed = once(child, "error").catch(() => undefined);
  if (!child.stdout) return undefined;
  const line = once(createInterface(child.stdout), "line").then(([text]) => String(text));
  const exit = once(child, "exit").then(() => undefined);
  return Promise.race([line, exit, failed.then(() => undefined)]);
}
