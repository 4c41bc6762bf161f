import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { runProgram } from "./rounds.ts";

/**
 * Starts a session bus with a separate, unlocked keyring. Undefined if Debian's `dbus` and `gnome-keyring` are not
 * installed.
 */
export async function startKeyring(
  folder: string,
): Promise<{ env: Record<string, string>; close(): void } | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const home = { PATH: process.env.PATH ?? "", HOME: folder, XDG_RUNTIME_DIR: folder, XDG_DATA_HOME: folder };
  const bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], {
    env: home,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const missing = once(bus, "error").catch(() => undefined);
  const address = await Promise.race([once(createInterface(bus.stdout), "line"), missing.then(() => [])]);
  if (typeof address[0] !== "string") return undefined;
  const env = { DBUS_SESSION_BUS_ADDRESS: address[0], XDG_RUNTIME_DIR: folder };
  const daemon = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
    env: { ...home, ...env },
    stdio: ["pipe", "ignore", "ignore"],
  });
  daemon.on("error", () => undefined);
  daemon.stdin.on("error", () => undefined);
  daemon.stdin.end("bench");
  const close = () => {
    daemon.kill();
    bus.kill();
  };
  if (await isOpen({ ...home, ...env })) return { env, close };
  close();
  return undefined;
}

/**
 * Waits up to five seconds for the keyring's collection. Queries it only once the name is owned, because a query would
 * start another daemon.
 */
async function isOpen(env: Record<string, string>): Promise<boolean> {
  const send = (destination: string, path: string, method: string, name: string) => {
    const args = ["--session", "--print-reply=literal", `--dest=${destination}`, path, method, `string:${name}`];
    return runProgram({ command: "dbus-send", args, env }).catch(() => "");
  };
  for (let left = 50; left > 0; left--) {
    const owned = await send(
      "org.freedesktop.DBus",
      "/",
      "org.freedesktop.DBus.NameHasOwner",
      "org.freedesktop.secrets",
    );
    if (owned.includes("true")) {
      const service = "org.freedesktop.secrets";
      const alias = await send(
        service,
        "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.ReadAlias",
        "default",
      );
      if (/\/org\//.test(alias)) return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
