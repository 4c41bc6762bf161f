import type { Api } from "#client/api/api";
import type { ConversationView } from "#protocol/conversations";
import type { CompletionCache } from "./cache.ts";
import type { CachedKind, CompletionValue } from "./table.ts";

/** Wraps the calls, and stores the names in their list answers for completion. */
export function withCompletionCache(api: Api, cache: CompletionCache): Api {
  const keep = (kind: CachedKind, values: CompletionValue[]) => cache.write(kind, values);
  const keepFirst = (values: CompletionValue[]) => {
    const ids = new Set(values.map(([id]) => id));
    keep("sessions", [...values, ...(cache.read("sessions") ?? []).filter(([id]) => !ids.has(id))]);
  };
  const without = (kind: CachedKind, id: string) => {
    const values = cache.read(kind);
    if (values)
      keep(
        kind,
        values.filter(([name]) => name !== id),
      );
  };
  return {
    ...api,
    sessions: async (options) => {
      const answer = await api.sessions(options);
      if (answer.page === 1 && !answer.has_more) keep("sessions", answer.data.map(toSessionValue));
      else if (answer.page === 1) keepFirst(answer.data.map(toSessionValue));
      return answer;
    },
    session: async (id) => {
      const answer = await api.session(id);
      keepFirst([toSessionValue(answer)]);
      return answer;
    },
    renameSession: async (id, title) => {
      const answer = await api.renameSession(id, title);
      keepFirst([toSessionValue(answer)]);
      return answer;
    },
    deleteSession: async (id) => {
      await api.deleteSession(id);
      without("sessions", id);
    },
    connections: async (options) => {
      const answer = await api.connections(options);
      const titles = new Map(cache.read("services") ?? []);
      keep(
        "services",
        Object.keys(answer.connections).map((name): CompletionValue => [name, titles.get(name) ?? ""]),
      );
      return answer;
    },
    services: async (options) => {
      const answer = await api.services(options);
      if (answer)
        keep(
          "services",
          answer.services.map(({ name, title }): CompletionValue => [name, title ?? ""]),
        );
      return answer;
    },
    tools: async (options) => {
      const answer = await api.tools(options);
      if (answer && options?.service === undefined)
        keep(
          "tools",
          answer.tools.map(({ name, description }): CompletionValue => [name, description]),
        );
      return answer;
    },
    answerInteraction: async (sessionId, id, answer) => {
      const response = await api.answerInteraction(sessionId, id, answer);
      without("pending", id);
      return response;
    },
    pending: async () => {
      const pending = await api.pending();
      keep(
        "pending",
        (pending ?? []).map(
          ({ id, kind, title }): CompletionValue => [id, title ? `${KINDS[kind]}: ${title}` : KINDS[kind]],
        ),
      );
      return pending;
    },
    approvals: async () => {
      const approvals = await api.approvals();
      keep(
        "approvals",
        approvals.map(({ id, words }): CompletionValue => [id, words]),
      );
      return approvals;
    },
    revokeApproval: async (id) => {
      await api.revokeApproval(id);
      without("approvals", id);
    },
    schedules: async () => {
      const schedules = await api.schedules();
      keep(
        "schedules",
        (schedules ?? []).map(({ id, timing, prompt }): CompletionValue => [id, `${timing}: ${prompt}`]),
      );
      return schedules;
    },
    removeSchedule: async (id) => {
      await api.removeSchedule(id);
      without("schedules", id);
    },
    model: async (options) => {
      const answer = await api.model(options);
      const models = (answer?.available ?? []).flatMap(({ title, models }) =>
        models.map((model): CompletionValue => [model, title]),
      );
      if (answer) keep("models", [...models, ["offline", "the planner, without a language model"]]);
      return answer;
    },
  };
}

const KINDS = { approval: "an approval", input: "a form", auth: "a service to connect" };

function toSessionValue({ id, title }: ConversationView): CompletionValue {
  return [id, title ?? ""];
}
