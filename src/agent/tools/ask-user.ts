import * as z from "zod/mini";
import type { InteractionOutcome, UserResponse } from "#connectors/interaction";
import { withDescription } from "#connectors/tool";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { InputField } from "#protocol/interactions";
import { findSecretQuestion, listFieldTexts } from "#protocol/secret-field";
import { adaptInput } from "../calls/adapt-input.ts";
import type { AgentTool } from "../tool.ts";
import { defineOwnTool } from "./own.ts";

const Option = z.object({ value: z.string(), label: z.string() });

const Field = z.object({
  id: withDescription(z.string().check(z.minLength(1)), "Key of the answer in the result."),
  type: z._default(z.enum(["text", "textarea", "select", "checkbox", "radio"]), "text"),
  label: z.string(),
  description: z.optional(z.string()),
  required: z.optional(z.boolean()),
  defaultValue: z.optional(z.union([z.string(), z.number(), z.boolean()])),
  options: withDescription(z.optional(z.array(Option)), "Choices of a select or radio field."),
});

const Input = z.object({
  question: withDescription(z.string().check(z.minLength(1)), "The question, in one sentence."),
  fields: withDescription(
    z.optional(z.array(Field)),
    "Form fields. If omitted, the form has one text field for the answer.",
  ),
});
type Input = z.output<typeof Input>;

/** Asks the user a question. The answer is the result. */
export const askUserTool: AgentTool = defineOwnTool({
  name: "ask_user",
  description:
    "Ask the user with a form and get the answers. Use it when something is missing that no tool can find. Never ask for passwords or tokens.",
  input: Input,
  summary: ({ question }) => question,
  run: async ({ question, fields = [] }, { requestInteraction }) => {
    const form =
      fields.length > 0 ? fields : [{ id: "answer", type: "text" as const, label: question, required: true }];
    const secret = findSecretQuestion([question, ...form.flatMap(listFieldTexts)]);
    if (secret !== undefined) {
      throw new Problem(
        "INVALID_REQUEST",
        `“${cleanLine(secret, 80)}” asks for a secret. Secrets cannot be requested in a form.`,
        {
          hint: "Use connect_service: the user signs in in the browser.",
        },
      );
    }
    const inputSchema = { type: "form" as const, fields: form.map((field) => InputField.parse(field)) };
    const data = await requestInteraction({
      type: "input",
      prompt: question,
      inputSchema,
      presentation: "questionnaire",
      completedView: { show_inputs: true },
      onResponse: (response) => checkAnswer(form, inputSchema, question, response),
      onTimeout: () => ({ complete: { ok: false, error: "The user did not answer in time." } }),
    });
    return { data, text: formatResult(data) };
  },
});

/** Text of an answer. `proposed`: the form proposed a text or choices, so the answer is the user's only as a whole. */
export type AnswerText = { text: string; proposed: boolean };

/**
 * Lists the texts of a form's answers. A choice counts as the label that the user saw. A checkbox, the only choice, and
 * an unchanged proposal have no text: the author of the form chose them.
 */
export function listAnswerTexts(
  fields: Pick<InputField, "id" | "defaultValue" | "options">[],
  answers: Record<string, unknown>,
): AnswerText[] {
  return Object.entries(answers).flatMap(([id, answer]) => {
    const matches = fields.filter((field) => field.id === id);
    const proposals = matches.flatMap(({ defaultValue }) =>
      defaultValue === undefined ? [] : [toPlain(defaultValue)],
    );
    if (typeof answer === "boolean" || proposals.includes(toPlain(answer))) return [];
    return [answer].flat().flatMap((value): AnswerText[] => {
      const choices = matches.flatMap(({ options = [] }) => options);
      const selectedOptions = choices.filter((option) => option.value === value);
      const isChosen = new Set(choices.map(({ label }) => toPlain(label))).size > 1;
      if (selectedOptions.length > 0)
        return isChosen ? selectedOptions.map(({ label }) => ({ text: label, proposed: true })) : [];
      return [{ text: String(value), proposed: proposals.some((proposal) => proposal !== "") }];
    });
  });
}

/** Removes what a form may change in a value: white space and invisible characters. */
function toPlain(value: unknown): string {
  return String(value)
    .normalize("NFKC")
    .replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}]+/gu, "");
}

/** Returns the fields that a call of `ask_user` shows. */
export function readFormFields(input: unknown): Pick<InputField, "id" | "defaultValue" | "options">[] {
  return Input.safeParse(adaptInput(askUserTool.schema, input)).data?.fields ?? [];
}

function checkAnswer(
  form: NonNullable<Input["fields"]>,
  inputSchema: { type: "form"; fields: InputField[] },
  prompt: string,
  { action, input = {} }: UserResponse,
): InteractionOutcome {
  if (action !== "submit") return { complete: { ok: false, cancelled: true } };
  const errors = form.flatMap((field) => findFieldError(field, input[field.id]) ?? []).join(" ");
  if (errors === "") return { complete: { ok: true, answers: input } };
  const layout = { presentation: "questionnaire" as const, completedView: { show_inputs: true } };
  return { reprompt: { type: "input", prompt, inputSchema, error: errors, initialValues: input, ...layout } };
}

function findFieldError(
  { label, required, options, type }: NonNullable<Input["fields"]>[number],
  value: unknown,
): string | undefined {
  const isEmpty = value === undefined || value === null || value === "" || (type === "checkbox" && value === false);
  if (isEmpty) return required ? `“${label}” is required.` : undefined;
  if (type === "checkbox" || options === undefined) return undefined;
  if (options.some((option) => option.value === value)) return undefined;
  return `“${label}” must be one of ${options.map((option) => option.label).join(", ")}.`;
}

function formatResult(data: unknown): string {
  const { answers, pending } = (data ?? {}) as { answers?: Record<string, unknown>; pending?: boolean };
  if (answers)
    return Object.entries(answers)
      .map(([id, value]) => `${id}: ${String(value)}`)
      .join("\n");
  return pending ? "The answer will come later." : "The user did not answer.";
}
