import { type RecordedWire, toEvents } from "./wire.ts";

const usageMetadata = {
  promptTokenCount: 120,
  candidatesTokenCount: 8,
  totalTokenCount: 138,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 120 }],
  thoughtsTokenCount: 10,
};

const BASE = { usageMetadata, modelVersion: "gemini-flash-latest", responseId: "M3iLaY-AI7zT" };

const parts = (parts: object[], finishReason?: string) => ({
  candidates: [{ content: { parts: parts, role: "model" }, ...(finishReason ? { finishReason } : {}), index: 0 }],
  ...BASE,
});

const showIssue = (issue: string) => ({ functionCall: { name: "jira__show", args: { issue } } });

/** Gemini's `streamGenerateContent` with `alt=sse`. */
export const GEMINI: RecordedWire = {
  label: "Google gemini-flash-latest",
  settings: {
    env: { GEMINI_API_KEY: "AIzaTestKey0123", GOOGLE_GEMINI_BASE_URL: "https://model.test" },
  },
  text: toEvents(parts([{ text: "It is" }]), parts([{ text: " open." }]), parts([{ text: "" }], "STOP")),
  reasoning: toEvents(
    parts([{ text: "Let me", thought: true }]),
    parts([{ text: " look.", thought: true }]),
    parts([{ text: "It is open." }]),
    parts([{ text: "", thoughtSignature: "EpAICo0I" }], "STOP"),
  ),
  calls: toEvents(
    parts([{ ...showIssue("KAY-3"), thoughtSignature: "EpEgCo4g" }, showIssue("KAY-4")]),
    parts([{ text: "" }], "STOP"),
  ),
  refusal: toEvents({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, ...BASE }),
  limit: toEvents(parts([{ text: "It is" }]), parts([{ text: "" }], "MAX_TOKENS")),
  failure: toEvents(parts([{ text: "It is" }]), {
    error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" },
  }),
  fault: "The model is overloaded. Please try again later",
};
