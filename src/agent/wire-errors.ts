import type { JSONValue } from "ai";
import { fromWireName } from "#protocol/tool-names";

type ErrorFields = { code?: string; integration?: string; message?: string; hint?: string };

/**
 * Returns the error of a call as a model gets it: with what to call differently. Hints are written for a user of the
 * command line, so one about a command is passed on only as words for the user.
 */
export function toWireError(value: JSONValue, toolName: string): JSONValue {
  const { error } = (value ?? {}) as { error?: ErrorFields };
  if (typeof error !== "object" || error === null) return value;
  const { hint, ...rest } = error;
  return { error: { ...rest, ...getAdvice(error, hint, fromWireName(toolName)) } };
}

function getAdvice({ code, integration }: ErrorFields, hint: string | undefined, tool: string): Record<string, string> {
  const isForModel = hint !== undefined && hint !== "" && !hint.includes("`kay ");
  switch (code) {
    case "AUTH_REQUIRED":
      return {
        hint: `Call connect_service${integration ? ` with ${integration}` : ""}, or answer without it and say so.`,
      };
    case "INVALID_REQUEST":
      return {
        hint: isForModel ? hint : `Call ${tool} again with this corrected, or ask the user for what is missing.`,
      };
    case "NOT_FOUND":
    case "UNKNOWN_SERVICE":
      return {
        hint: isForModel ? hint : "Call a tool that lists or searches to find the right name, or ask the user.",
      };
    case "OUTCOME_UNKNOWN":
      return { hint: "Do not call it again. Read whether it took effect, and tell the user." };
    default:
      return isForModel ? { hint } : hint ? { for_the_user: hint } : {};
  }
}
