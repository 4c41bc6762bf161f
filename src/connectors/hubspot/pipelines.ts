import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { normalizeWords } from "../input-text.ts";
import type { ToolContext } from "../tool.ts";

const Pipelines = z.looseObject({
  results: z.array(
    z.looseObject({
      id: z.string(),
      label: z.string(),
      displayOrder: z.nullish(z.number()),
      stages: z.array(
        z.looseObject({
          id: z.string(),
          label: z.string(),
          displayOrder: z.nullish(z.number()),
          metadata: z.nullish(
            z.looseObject({
              isClosed: z.nullish(z.union([z.string(), z.boolean()])),
              probability: z.nullish(z.string()),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A stage of a pipeline. A closed stage is won (probability 1) or lost. */
export type Stage = { id: string; label: string; closed: boolean; won: boolean };
export type Pipeline = { id: string; label: string; stages: Stage[] };

/**
 * Lists the deal pipelines with their stages, in the account's order. Source: HubSpot CRM v3, GET
 * /crm/v3/pipelines/deals.
 */
export async function listPipelines({ http }: Pick<ToolContext, "http">): Promise<Pipeline[]> {
  const request = { path: "/crm/v3/pipelines/deals", answer: Pipelines, scope: "crm.objects.deals.read" };
  const { results } = await http.request(request);
  return sortByOrder(results).map(({ id, label, stages }) => ({
    id,
    label,
    stages: sortByOrder(stages).map(({ id, label, metadata }) => {
      const closed = String(metadata?.isClosed ?? "false") === "true";
      return { id, label, closed, won: closed && Number(metadata?.probability ?? 0) === 1 };
    }),
  }));
}

/** Finds a pipeline by name or ID. Without one, returns the account's first. @throws Problem INVALID_REQUEST */
export function findPipeline(pipelines: Pipeline[], name: string | undefined): Pipeline {
  const pipelineName = normalizeWords(name ?? "");
  const pipeline = pipelineName
    ? pipelines.find(({ id, label }) => normalizeWords(label) === pipelineName || normalizeWords(id) === pipelineName)
    : (pipelines.find(({ id }) => id === "default") ?? pipelines[0]);
  if (pipeline) return pipeline;
  throw new Problem("INVALID_REQUEST", `No deal pipeline is called “${name?.trim() ?? ""}”.`, {
    hint: `Available: ${pipelines.map(({ label }) => label).join(", ")}.`,
  });
}

/** Finds a stage of a pipeline by name, ID, "won" or "lost". @throws Problem INVALID_REQUEST that lists the stages */
export function findStage(pipeline: Pipeline, name: string): Stage {
  const stageName = normalizeWords(name);
  const exact = pipeline.stages.find(
    ({ id, label }) => normalizeWords(label) === stageName || normalizeWords(id) === stageName,
  );
  const match = exact ?? pipeline.stages.find((stage) => matchesEverydayWord(stage, stageName));
  if (match) return match;
  throw new Problem("INVALID_REQUEST", `The pipeline ${pipeline.label} has no stage “${name.trim()}”.`, {
    hint: `Available stages: ${pipeline.stages.map(({ label }) => label).join(", ")}.`,
  });
}

/**
 * Returns the stages of all pipelines that a word or name matches, or `undefined` for all stages. @throws Problem
 * INVALID_REQUEST
 */
export function findStages(pipelines: Pipeline[], word: string | undefined): Stage[] | undefined {
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  const status = normalizeWords(word ?? "all");
  if (/^(all|any|every)$/.test(status)) return undefined;
  if (status === "open") return stages.filter(({ closed }) => !closed);
  if (/^(closed|done)$/.test(status)) return stages.filter(({ closed }) => closed);
  const exact = stages.filter(({ id, label }) => normalizeWords(label) === status || normalizeWords(id) === status);
  const matches = exact.length > 0 ? exact : stages.filter((stage) => matchesEverydayWord(stage, status));
  if (matches.length > 0) return matches;
  throw new Problem("INVALID_REQUEST", `No deal stage is called “${word?.trim() ?? ""}”.`, {
    hint: `Available: ${[...new Set(stages.map(({ label }) => label))].join(", ")}.`,
  });
}

function matchesEverydayWord({ closed, won }: Stage, word: string): boolean {
  if (/^(closed )?(won|win)$/.test(word)) return won;
  return /^(closed )?(lost|lose)$/.test(word) && closed && !won;
}

function sortByOrder<T extends { displayOrder?: number | null }>(list: T[]): T[] {
  return [...list].sort((a, b) => (a.displayOrder ?? 0) - (b.displayOrder ?? 0));
}
