import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createSettings, type SettingsPorts } from "#client/settings/settings";
import { Problem } from "#protocol/errors";

/** A separate settings folder, with a file if `content` is given. */
export function folderWith(content?: string | Uint8Array): { path: string; file: string } {
  const path = mkdtempSync(join(tmpdir(), "kay-settings-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const file = join(path, "config.json");
  if (content !== undefined) writeFileSync(file, content);
  return { path, file };
}

/** The settings of a profile in that folder, with the warnings they gave, on a clock that stands still. */
export function settingsIn(folder: string, more: Partial<SettingsPorts> = {}) {
  const warnings: string[] = [];
  const settings = createSettings({
    paths: { config: () => folder },
    env: {},
    clock: { now: () => Date.UTC(2026, 10, 27, 12, 30) },
    warn: (message) => void warnings.push(message),
    exclusively: (_lock, work) => work(),
    ...more,
  });
  return { settings, warnings };
}

/** Code, sentence and hint of the Problem that `work` throws. */
export function problemIn(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Problem ? `${error.code}: ${error.message} ${error.hint}` : expect.fail(String(error));
  }
  return expect.fail("it should fail");
}
