import { join } from "node:path";
import { guideBackend } from "./guide-backend.ts";
import { startKeyring } from "./keyring.ts";
import { measureMedians, type Program, processorTimes, runProgram } from "./rounds.ts";
import { certificate, kay, signIn } from "./signed-in.ts";
import { type Row, ratio, time } from "./table.ts";

/** `rounds` of each ratio; `paused` generations wait at once, with half as many streams. */
export type Bench = { launcher: string; folder: string; rounds: number; paused: number };

/** Measures what a command costs before it does anything. */
export async function startTimes({ launcher, folder, rounds }: Bench): Promise<Row[]> {
  const programs = [node(folder), kay(launcher, folder, ["--version"]), kay(launcher, folder, ["--help"])];
  const [base, version, help] = await medians(programs, rounds);
  return [ratio("kay --version / node -e 0", version, base, 1.15), ratio("kay --help / node -e 0", help, base, 1.4)];
}

/** Measures a signed-in one-shot command over loopback HTTP, with the credentials in a file and in the keychain. */
export async function overHttp({ launcher, folder, rounds }: Bench): Promise<Row[]> {
  const backend = await guideBackend(3600);
  const ring = await startKeyring(join(folder, "bus"));
  try {
    const file = await signIn(launcher, join(folder, "file"), backend, {});
    const stored =
      ring && (await signIn(launcher, join(folder, "ring"), backend, { KAY_CREDENTIALS: "keychain", ...ring.env }));
    const [base, plain, withRing] = await medians([node(folder), file, ...(stored ? [stored] : [])], rounds);
    const [least = 0, cpu = 0] = await processorTimes([node(folder), file], rounds);
    return [
      ratio("kay connections, HTTP / node -e 0", plain, base),
      ratio("… processor", cpu, least, 1.8),
      stored
        ? time("the same, reading the keychain: more by", withRing - plain, 20)
        : { what: "the same, reading the keychain", measured: "not measured: apt-get install dbus gnome-keyring" },
    ];
  } finally {
    ring?.close();
    await backend.close();
  }
}

/** The same over HTTPS, against the GitHub CLI and curl with the same server. */
export async function overHttps({ launcher, folder, rounds }: Bench): Promise<Row[]> {
  const { file, ...tls } = certificate(join(folder, "certificate"));
  const backend = await guideBackend(3600, tls);
  try {
    const mine = await signIn(launcher, join(folder, "home"), backend, { KAY_CA_FILE: file });
    const env = { PATH: process.env.PATH ?? "", HOME: folder };
    const host = new URL(backend.url).host;
    const token = { GH_HOST: host, GH_ENTERPRISE_TOKEN: "token", SSL_CERT_FILE: file, GH_NO_UPDATE_NOTIFIER: "1" };
    const gh: Program = { command: "gh", args: ["api", "connections"], env: { ...env, ...token } };
    const curl: Program = { command: "curl", args: ["-sf", "--cacert", file, `${backend.url}/connections`], env };
    const [one, other, least] = await medians([mine, gh, curl], rounds);
    const [cpu = 0, theirs = 0] = await processorTimes([mine, gh], rounds);
    return [
      ratio("kay connections, HTTPS / gh api", one, other),
      ratio("… processor", cpu, theirs, 1),
      ratio("kay connections, HTTPS / curl", one, least),
    ];
  } finally {
    await backend.close();
  }
}

/** Runs twelve one-shots with one expired token: one refresh, and all succeed. */
export async function atOnce({ launcher, folder }: Bench): Promise<Row[]> {
  const backend = await guideBackend(1);
  try {
    const one = await signIn(launcher, folder, backend, {});
    await new Promise((resolve) => setTimeout(resolve, 1500));
    backend.lengthen();
    const ends = await Promise.allSettled(Array.from({ length: 12 }, () => runProgram(one)));
    const failures = ends.filter(({ status }) => status === "rejected").length;
    const refreshes = backend.refreshes();
    return [
      {
        what: "twelve one-shots at once, token expired",
        measured: `${refreshes} refresh, ${failures} failed`,
        goal: "1 refresh, 0 failed",
        ok: refreshes === 1 && failures === 0,
      },
    ];
  } finally {
    await backend.close();
  }
}

function node(folder: string): Program {
  return { command: process.execPath, args: ["-e", "0"], env: { PATH: process.env.PATH ?? "", HOME: folder } };
}

async function medians(programs: Program[], rounds: number): Promise<[number, number, number]> {
  const [a, b, c] = await measureMedians(programs, rounds);
  return [a ?? Number.NaN, b ?? Number.NaN, c ?? Number.NaN];
}
