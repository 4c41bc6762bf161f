import type { Selectable } from "kysely";
import { Problem } from "#protocol/errors";
import { toJsonColumn } from "./column-types.ts";
import { GenerationProgress, GenerationRequest, type GenerationState } from "./generation-state.ts";
import { fromLegacyOptions, toLegacyOptions } from "./legacy-options.ts";
import type { Generations } from "./schema-work.ts";

/** The columns that hold the state of a generation. */
export type StateColumns = { id: string; request: unknown; progress: unknown; options: unknown };

/**
 * Parses the state of a stored generation. A column that is null is read from `options`, which an older node wrote.
 *
 * @throws Problem STORE_UNREADABLE when a column does not have the expected shape
 */
export function parseGenerationState({ id, request, progress, options }: StateColumns): GenerationState {
  try {
    const legacy = request === null || progress === null ? fromLegacyOptions(options) : undefined;
    return {
      request: legacy && request === null ? legacy.request : GenerationRequest.parse(request),
      progress: legacy && progress === null ? legacy.progress : GenerationProgress.parse(progress),
    };
  } catch (cause) {
    throw new Problem("STORE_UNREADABLE", `The stored generation ${id} cannot be read.`, {
      hint: "Start a new conversation.",
      cause,
    });
  }
}

/** A row of the table. `request`, `progress` and `options` are not parsed. */
export type GenerationRow = Readonly<Selectable<Generations>>;

/** A generation as stored. */
export type StoredGeneration = Omit<GenerationRow, "request" | "progress" | "options"> & Readonly<GenerationState>;

/** @throws Problem STORE_UNREADABLE */
export function parseGeneration({ options, ...row }: GenerationRow): StoredGeneration {
  return { ...row, ...parseGenerationState({ ...row, options }) };
}

/** Returns the columns that hold the progress. */
export function toProgressColumns(state: GenerationState) {
  return { progress: toJsonColumn(state.progress), options: toJsonColumn(toLegacyOptions(state)) };
}
