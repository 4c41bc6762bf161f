/** Fields in which APIs put a message for users, the clearest first. */
const FIELDS = [
  "detail",
  "message",
  "msg",
  "error_description",
  "errorMessage",
  "error_message",
  "error_msg",
  "Message",
  "description",
  "reason",
  "faultstring",
  "info",
  "text",
  "title",
  "error",
];

const DEEPEST = 4;

/** Finds the first sentence in an answer of any shape: `[{"message": …}]`, `{"fault": {"faultstring": …}}`. */
export function findReason(value: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return findFirst(value.slice(0, 5), depth);
  const record = value as Record<string, unknown>;
  const own = FIELDS.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined));
  return own.find(isSentence) ?? findFirst([...own, ...Object.values(record).slice(0, 20)], depth);
}

function findFirst(values: unknown[], depth: number): string | undefined {
  for (const value of values) {
    const reason = depth > 0 && isSentence(value) && String(value).includes(" ") ? value : findReason(value, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A bare code such as `NOT_FOUND` tells users nothing, and neither does markup. */
function isSentence(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !/^[^\W_]*_\w*$|^[A-Z]+$|<\/?[A-Za-z!]/.test(value.trim());
}
