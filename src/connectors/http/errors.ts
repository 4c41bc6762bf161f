import { formatWait } from "#net/retry-after";
import { Problem } from "#protocol/errors";
import { endSentence, type ServiceFault } from "./service-fault.ts";

/** The service and the request that an error belongs to. */
export type RequestSubject = { name: string; title: string; status: number; scope?: string; signOn?: string };

/** Converts a service's rejection to a problem with the service's message, the field and a next step. */
export function refusedProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const { title, status } = subject;
  const message = fault.message
    ? `${title}: ${endSentence(fault.message)}`
    : `${title} ${STATUS_WORDS[status] ?? (status >= 500 ? `failed (HTTP ${status})` : `refused the request (HTTP ${status})`)}.`;
  const details = {
    service: subject.name,
    service_status: status,
    ...(fault.code ? { service_code: fault.code } : {}),
    ...(fault.field ? { field: fault.field } : {}),
  };
  return new Problem("SERVICE_FAILED", message, { hint: fault.hint ?? getHint(fault, subject), details });
}

/** Creates the error for a missing scope. It names the scope and does not start a new sign-in. */
export function missingScopeProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const needed = fault.required.length > 0 ? fault.required : subject.scope ? [subject.scope] : [];
  const which = needed.length > 0 ? `the permission ${needed.join(", ")}` : "a required permission";
  return new Problem("SERVICE_FAILED", `The connection to ${subject.title} lacks ${which}.`, {
    hint: `Run \`kay disconnect ${subject.name}\`, then \`kay connect ${subject.name}\`, and allow the permission.`,
    details: { service: subject.name, service_status: subject.status, scopes: needed },
  });
}

/** Creates the error for a write that may have been done. */
export function unknownOutcomeProblem(title: string, sentence: string, cause?: unknown): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${sentence} The request may have been processed.`, {
    hint: `Check ${title} before you try again.`,
    cause,
  });
}

/** Builds the AUTH_REQUIRED problem of one service. The default message is for a token that the service refused. */
export function authRequiredProblem(
  subject: { name: string; title: string },
  message = `${subject.title} rejected the stored credentials.`,
  cause?: unknown,
): Problem {
  return new Problem("AUTH_REQUIRED", message, {
    hint: `Run \`kay connect ${subject.name}\`, then ask again.`,
    details: { integrations: [subject.name] },
    cause,
  });
}

/** Returns the address at which a user allows an organization's sign-on: GitHub's `X-GitHub-SSO: required; url=…`. */
export function getSignOnUrl(headers: Headers): string | undefined {
  const url = /^required; url=(https:\/\/[\x21-\x7e]+)$/.exec(headers.get("x-github-sso") ?? "")?.[1];
  return url && URL.canParse(url) ? url : undefined;
}

/** Creates the error for too many requests. `wait` is the pause that the service asks for, in ms. */
export function rateLimitedProblem(
  title: string,
  { wait, now, reason }: { wait: number; now: number; reason: string },
): Problem {
  const isDaily = /\b(?:daily|per[ -]day|day limit|24[ -]hour|monthly|per[ -]month)\b/i.test(reason);
  const soon = isDaily
    ? `Wait until ${title} resets the limit, or ask an administrator to raise it.`
    : "Try again in a moment.";
  const when = wait > 0 ? `Try again in ${formatWait(wait, now)}.` : soon;
  const why = reason ? `: ${reason}` : "";
  return new Problem("RATE_LIMITED", `${title} is receiving too many requests${why.replace(/\.$/, "")}.`, {
    hint: when,
  });
}

const STATUS_WORDS: Record<number, string> = {
  400: "rejected the request",
  403: "does not allow this account to do that",
  404: "could not find it, or this account may not see it",
  409: "reports a conflict with a newer version",
  410: "no longer has it",
  413: "rejected the request as too large",
  451: "may not show it for legal reasons",
};

function getHint({ message }: ServiceFault, { name, title, status, signOn }: RequestSubject): string {
  if (signOn) return `Open ${signOn} and authorize kay for the organization, then try again.`;
  if (status === 403 && /\bnot installed\b/i.test(message)) return `Run \`kay connect ${name}\`, then try again.`;
  if (status === 426)
    return `This version of kay uses an old version of ${title}'s API. Run \`npm install -g kay@latest\`.`;
  if (status === 403 && /\bquota\b|\bstorage\b/i.test(message))
    return `Free space in ${title}, or ask an administrator for more.`;
  if (status === 403 && /\b(?:is disabled|enable it)\b/i.test(message))
    return `Ask the operator of kay to enable it, then try again.`;
  if (status === 403) return `Ask an administrator of ${title} for permission, or use another account.`;
  if (status === 404 || status === 410 || status === 451)
    return `Check the name, and that you can open it in ${title}.`;
  if (status >= 500) return `Check the status page of ${title}, then try again.`;
  return "Change the request and try again.";
}
