import { line } from "#ui/words";
import { bundleOf, writeBundle } from "./doctor/bundle.ts";
import type { Report } from "./doctor/check.ts";
import { checksFor } from "./doctor/checks.ts";
import { examine, type Told } from "./doctor/examine.ts";
import { createFacts } from "./doctor/facts.ts";
import { reportText, summaryOf } from "./doctor/show.ts";
import type { Kay } from "./kay.ts";

/** What `kay doctor` was given. `bundle` is true for a file in the folder where kay runs, or its name. */
export type DoctorOptions = { refresh?: boolean; bundle?: boolean | string };

/** `kay doctor`: look at everything that kay needs, and say what to do about what is wrong. Exits 1 when something failed. */
export async function doctor(kay: Kay, service: string | undefined, options: DoctorOptions): Promise<void> {
  const facts = createFacts(kay, kay.machine(), { refresh: options.refresh === true, signal: kay.signal });
  const reports = await shown(kay, (told) => examine(checksFor(service), facts, told));
  const isOk = reports.every(({ state }) => state !== "failed");
  kay.exit = isOk ? 0 : 1;
  const file = options.bundle
    ? await writeBundle(facts, options.bundle === true ? null : options.bundle, await bundleOf(facts, reports))
    : undefined;
  if (kay.flags.json) return kay.out.json({ ok: isOk, checks: reports, ...(file ? { bundle: file } : {}) });
  kay.out.note(summaryOf(reports));
  if (file) kay.out.note(`The report is ${line(file)}. Look through it before you give it to anybody.`);
}

/** On a terminal each report is shown as soon as it is there; elsewhere they are rows, all at the end. */
async function shown(kay: Kay, work: (told: Told) => Promise<Report[]>): Promise<Report[]> {
  if (kay.flags.json) return work(() => {});
  if (!kay.terminal.stdout.isTerminal) {
    const reports = await work(() => {});
    await kay.out.table(
      [],
      reports.map(({ id, state, detail, fix = "" }) => [id, state, detail, fix]),
    );
    return reports;
  }
  const waitFor = (titles: string[]) => {
    if (!kay.terminal.stderr.isTerminal || kay.flags.quiet) return;
    const room = kay.terminal.stderr.columns() - 1;
    const text = `Looking at: ${titles.join(", ")}`;
    kay.out.status(titles.length === 0 ? null : text.length > room ? `${text.slice(0, room - 1)}…` : text);
  };
  try {
    return await work((report, waiting) => {
      kay.out.line(reportText(kay, report));
      waitFor(waiting);
    });
  } finally {
    kay.out.status(null);
  }
}
