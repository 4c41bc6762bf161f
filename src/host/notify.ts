import spawn from "cross-spawn";
import type { Notice, Notifier } from "#backend/ports";
import type { Fetch } from "#net/ports";
import type { Log } from "#telemetry/log";

/** How long a command or a POST may take, in ms. */
const LIMIT_MS = 10_000;

/** Variables that a command gets. None of them holds a secret of kay. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+|TMPDIR|SYSTEMROOT|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|COMSPEC)$/i;

type Ports = {
  /** The `notify` setting. */
  setting(): string | undefined;
  fetch: Fetch;
  env: Record<string, string | undefined>;
  log: Log;
};

/**
 * Creates the notifier of the `notify` setting. A command gets ID, service and one line as arguments and the notice as
 * JSON on stdin, never through a shell. An https URL gets the JSON in a POST. A failure is only logged.
 */
export function createNotifier(ports: Ports): Notifier {
  const getTarget = () => {
    const value = ports.setting()?.trim() ?? "";
    return ["", "auto", "off"].includes(value) ? undefined : value;
  };
  return {
    isOn: () => getTarget() !== undefined,
    async send(notice) {
      const value = getTarget();
      if (value === undefined) return;
      try {
        await (/^https?:/i.test(value) ? post(ports.fetch, value, notice) : run(value, notice, ports.env));
      } catch (error) {
        // The target may hold a token in its path.
        ports.log("warn", "notify.failed", { id: notice.id, error: error instanceof Error ? error.message : "failed" });
      }
    },
  };
}

function toBody({ id, kind, service, line, url, session_id }: Notice): string {
  return JSON.stringify({ id, kind, service, text: line, url, session_id });
}

async function post(fetch: Fetch, url: string, notice: Notice): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: toBody(notice),
    redirect: "manual",
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
}

/** Runs the command. It is split like EDITOR, into words that may be in quotes. */
function run(command: string, notice: Notice, env: Ports["env"]): Promise<void> {
  const words = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const [program = "", ...args] = words.map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_VARIABLES.test(name)));
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, notice.id, notice.service, notice.line], {
      stdio: "pipe",
      env: passed,
      windowsHide: true,
    });
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    limit.unref();
    child.once("error", reject);
    child.stdout.resume();
    child.stderr.resume();
    child.once("exit", (code) => {
      clearTimeout(limit);
      if (code === 0) resolve();
      else reject(new Error(`exit ${code ?? "by a signal"}`));
    });
    child.stdin.on("error", () => {}).end(toBody(notice));
  });
}
