import { formatWait } from "#net/retry-after";
import { Problem } from "#protocol/errors";
import { endSentence, type ServiceFault } from "./service-fault.ts";

/** The service and the request that an error belongs to. */
export type RequestSubject = {
  name: string;
  title: string;
  status: number;
  scope?: string;
  signOn?: string;
  /** The title of the body if it is a web page. */
  page?: string;
};

/** Converts a service's rejection to a problem with the service's message, the field and a next step. */
export function refusedProblem(fault: ServiceFault, subject: RequestSubject): Problem {
  const { title, status } = subject;
  const number = fault.code ? `HTTP ${status}, ${fault.code}` : `HTTP ${status}`;
  const outcome = STATUS_WORDS[status] ?? `${status >= 500 ? "failed" : "refused the request"} (${number})`;
  const page = subject.page ? ` Its response is the web page “${subject.page}”.` : "";
  const message = fault.message ? `${title}: ${endSentence(fault.message)}` : `${title} ${outcome}.${page}`;
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

/** Creates the error for a request that the user canceled. */
export function cancelledProblem(title: string, cause: unknown): Problem {
  return new Problem("CANCELLED", `The request to ${title} was canceled.`, { cause });
}

/** Creates the AUTH_REQUIRED problem of one service. The default message is for a token that the service refused. */
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

/**
 * Creates the error for too many requests. `wait` is the pause that the response requests, `pause` the usual one, in
 * ms.
 */
export function rateLimitedProblem(
  title: string,
  { wait, pause, now, reason }: { wait?: number; pause?: number; now: number; reason: string },
): Problem {
  const isDaily = /\b(?:daily|per[ -]day|day limit|24[ -]hour|monthly|per[ -]month|billing)\b/i.test(reason);
  const soon = isDaily
    ? `Wait until ${title} resets the limit, or ask an administrator to raise it.`
    : "Try again in a moment.";
  const delay = wait ?? (isDaily ? undefined : pause);
  const when = delay ? `Try again in ${formatWait(delay, now)}.` : soon;
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

function getHint({ message }: ServiceFault, { name, title, status, signOn, page }: RequestSubject): string {
  if (signOn) return `Open ${signOn} and authorize kay for the organization, then try again.`;
  const hint = HINTS.find(([statuses, words]) => statuses.includes(status) && words.test(message))?.[2];
  if (hint) return hint.replaceAll("{name}", name).replaceAll("{title}", title);
  if (page && status < 500 && status !== 404)
    return `A proxy or firewall may have answered instead of ${title}. Run \`kay doctor ${name}\` to check the connection.`;
  if (status === 401 || status === 403)
    return `Ask an administrator of ${title} for permission, or use another account.`;
  if (status === 404 || status === 410 || status === 451)
    return `Check the name, and that you can open it in ${title}.`;
  if (status >= 500) return `Check the status page of ${title}, then try again.`;
  return "Change the request and try again.";
}

const OLD_API = "This version of kay uses an old version of {title}'s API. Install a newer release of kay.";

/** Hints for refusals by status and words, which services choose alike. The first match applies. */
const HINTS: [statuses: number[], words: RegExp, hint: string][] = [
  [[426], /(?:)/, OLD_API],
  [[410], /\bAPI\b.*\b(?:removed|deprecated|no longer)\b|\bmigrate\b/i, OLD_API],
  [[408, 423, 425, 477], /(?:)/, "Try again in a moment."],
  [[409, 404], /\b(?:try|retry) again\b|\btemporarily unavailable\b/i, "Try again in a moment."],
  [[403, 410], /\bissues\b.*\bdisabled\b/i, "Turn on issues in the settings of the repository, or use another one."],
  [[403], /\bnot installed\b/i, "Run `kay connect {name}`, then try again."],
  [[403], /\b(?:archived|read-only)\b/i, "Use another one, or ask for it to be unarchived."],
  [[403], /\bstorage\b/i, "Free space in {title}, or ask an administrator for more."],
  [[403], /\bOAuth App access restrictions\b/i, "Ask an owner of the organization to approve kay, then try again."],
  [[403], /\bIP (?:allow list|address)/i, "Use a network that the organization allows."],
  [[403], /\borganizer\b/i, "Ask the organizer to change it."],
  [
    [400, 403],
    /\bnot enabled\b|\bsigned up\b/i,
    "Use another account, or ask an administrator to turn on {title} for this one.",
  ],
  [[403], /\b(?:is disabled|enable it)\b/i, "Ask the operator of kay to enable it, then try again."],
];
