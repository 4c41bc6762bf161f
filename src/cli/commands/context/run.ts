import type { Usage } from "#protocol/ask";
import type { ModelView } from "#protocol/model";
import type { ToolView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import { getAskChoices } from "../../ask/choices.ts";
import { formatAccount } from "../../backend/account-labels.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import { openIfSignedIn } from "../../backend/known-services.ts";
import { listAliases } from "../../context/aliases.ts";
import { type InstructionsFile, isUsed, readDefaults, readInstructions } from "../../context/standing.ts";
import { decideTrust, describeText } from "../../context/trust.ts";
import type { Kay } from "../../kay.ts";

/** Runs `kay context`. Without a sign-in, nothing is connected yet. */
export async function showContext(kay: Kay): Promise<void> {
  const report = await readContext(kay, await openIfSignedIn(kay, true));
  for (const note of report.notes) kay.out.warn(note);
  if (kay.flags.json) return kay.out.writeJson(toContextDocument(report));
  await kay.out.writeTable(["", ""], formatContext(report));
}

/** Runs `kay context trust` and `kay context untrust`. */
export async function changeTrust(kay: Kay, use: boolean): Promise<void> {
  const { folder, sentence } = await decideAndDescribe(kay, use);
  if (kay.flags.json) return kay.out.writeJson({ folder, trusted: use });
  kay.out.writeProgress(sentence);
}

/** Stores the decision about the current project and reports it in a sentence. */
export async function decideAndDescribe(kay: Kay, use: boolean): Promise<{ folder: string; sentence: string }> {
  const project = await decideTrust(kay, use);
  const subject = `${describeText(project)} of ${toLine(project.folder)}`;
  const sentence = use
    ? `kay now uses ${subject.replace(/^The/, "the")}. If the text changes, kay asks again.`
    : `kay does not use ${subject.replace(/^The/, "the")}.`;
  return { folder: project.folder, sentence };
}

/** Context that the model gets before a question. */
export type ContextReport = {
  files: InstructionsFile[];
  /** Sentences about unused files. */
  notes: string[];
  defaults: Record<string, string>;
  aliases: string[];
  services: { name: string; account: string }[];
  /** The tools of the connected services; `tokens` is an estimate. */
  tools: { count: number; tokens: number };
  timeZone?: string;
  /** The model that answers; undefined if the backend does not report it. */
  model?: Pick<ModelView, "name" | "label" | "offline" | "context_window">;
  /** Tokens of the conversation at its newest answer; only in a session. */
  conversationTokens?: number;
};

/** Characters per token, as providers estimate for English text and JSON. */
const TOKEN_LENGTH = 4;

/** Reads what the model gets. `link` is null without a sign-in; `usage` is that of the newest answer of a session. */
export async function readContext(kay: Kay, link: BackendHandle | null, usage?: Usage): Promise<ContextReport> {
  const { signal } = kay;
  const [{ files, notes }, defaults, aliases, connections, tools, project] = await Promise.all([
    readInstructions(kay),
    readDefaults(kay),
    listAliases(kay),
    link?.api.connections({ signal }),
    link?.api.tools({ signal }),
    link?.api.model({ signal }),
  ]);
  const connected = Object.entries(connections?.connections ?? {}).filter(([, connection]) => connection.connected);
  const chosenModel = kay.choices.model;
  const model =
    chosenModel === undefined ? project : { name: chosenModel, label: chosenModel, offline: chosenModel === "offline" };
  return {
    ...{ files, notes, defaults },
    aliases: aliases.map(({ name }) => name),
    services: connected.map(([name, connection]) => ({ name, account: formatAccount(connection) })),
    tools: countTools(tools?.tools ?? []),
    timeZone: getAskChoices(kay).time_zone,
    ...(model ? { model } : {}),
    conversationTokens: usage?.context_tokens,
  };
}

/** Converts a report to the document of `--json`. */
export function toContextDocument(report: ContextReport): Record<string, unknown> {
  const { files, defaults, aliases, services, tools, timeZone, model } = report;
  return {
    instructions: files.map((file) => {
      const { path, bytes, isCut, origin, trust } = file;
      return { path, bytes, cut: isCut, origin, trust, used: isUsed(file) };
    }),
    ...{ defaults, aliases, services, tools },
    time_zone: timeZone ?? null,
    model: model ? { name: model.name, label: model.label, context_window: model.context_window ?? null } : null,
  };
}

/** Formats a report as rows of a name and its value. */
export function formatContext(report: ContextReport): string[][] {
  const { files, defaults, aliases, services, tools, timeZone, model, conversationTokens } = report;
  const lists: [string, string[]][] = [
    ["Instructions", files.map(formatFile)],
    ["Defaults", Object.entries(defaults).map(([key, value]) => `${key} ${toLine(value)}`)],
    ["Services", services.map(({ name, account }) => [toLine(name), account].filter(Boolean).join(" as "))],
    ["Tools", [`${tools.count}, about ${formatCount(tools.tokens)} tokens`]],
    ["Aliases", aliases.length > 0 ? [aliases.map((name) => `/${name}`).join(", ")] : []],
    ["Time zone", timeZone === undefined ? [] : [timeZone]],
    ["Model", model ? [formatModel(model)] : []],
    [
      "Conversation",
      conversationTokens === undefined ? [] : [formatConversation(conversationTokens, model?.context_window)],
    ],
  ];
  return lists.flatMap(([name, values]) =>
    (values.length > 0 ? values : ["none"]).flatMap((value, index) =>
      name === "Conversation" && value === "none" ? [] : [[index === 0 ? name : "", value]],
    ),
  );
}

function countTools(tools: ToolView[]): ContextReport["tools"] {
  const offered = tools.filter(({ connected }) => connected);
  const sizes = offered.map(({ name, description, input_schema }) => {
    return JSON.stringify({ name, description, input_schema }).length;
  });
  const tokens = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / TOKEN_LENGTH);
  return { count: offered.length, tokens };
}

const TRUST_NOTES: Record<InstructionsFile["trust"], string> = {
  own: "",
  trusted: "trusted",
  refused: "not used: you refused it",
  changed: "not used: changed since you decided about it",
  unknown: "not used: not trusted yet",
};

function formatFile({ path, bytes, isCut, trust }: InstructionsFile): string {
  const size = `${bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} kB`}${isCut ? ", the first part of the file" : ""}`;
  return `${toLine(path)} (${[size, TRUST_NOTES[trust]].filter(Boolean).join(", ")})`;
}

function formatModel({ label, offline, context_window: room }: NonNullable<ContextReport["model"]>): string {
  if (offline) return `${toLine(label)}, which does not use instructions`;
  return room === undefined ? toLine(label) : `${toLine(label)}, context window ${formatCount(room)} tokens`;
}

function formatConversation(tokens: number, room: number | undefined): string {
  const share = room === undefined ? "" : `, ${Math.round((tokens / room) * 100)} % of the context window`;
  return `${formatCount(tokens)} tokens${share}`;
}

function formatCount(count: number): string {
  return count.toLocaleString("en");
}
