/** A request that reached a stand-in, as its log has it. */
export type Arrived = { origin: string; method: string; path: string; status: number; body?: unknown };

/** The controls of the sandbox's stand-ins, by provider. */
export function openSandboxControl(sandbox: Record<string, string>) {
  const call = async (origin: string, method: string, path: string, body?: unknown): Promise<unknown> => {
    const init =
      body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(`${sandbox[origin]}/_sandbox/${path}`, { method, ...init });
    if (!answer.ok) throw new Error(`${method} ${origin} ${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const list = async (origin: string): Promise<Arrived[]> => {
    const { requests } = (await call(origin, "GET", "requests")) as { requests: Omit<Arrived, "origin">[] };
    return requests.map((request) => ({ ...request, origin }));
  };
  return {
    reset: async () => {
      for (const origin of Object.keys(sandbox)) await call(origin, "POST", "reset");
    },
    /** Adds a comment of a stranger to an issue in Jira. */
    plantComment: async (issue: string, text: string) => {
      const world = (await call("atlassian", "GET", "state")) as AtlassianWorld;
      const issueState = world.sites[0]?.issues.find(({ key }) => key === issue);
      if (!issueState) throw new Error(`the sandbox has no issue ${issue}`);
      issueState.comments = [
        { author: world.accounts[1]?.accountId ?? "", body: text, created: "2026-11-26T09:00:00.000Z" },
      ];
      await call("atlassian", "PUT", "state", world);
    },
    /** Starts to record requests at all stand-ins. Returns a function that lists them. */
    watch: async (): Promise<() => Promise<Arrived[]>> => {
      const counts = new Map<string, number>();
      for (const origin of Object.keys(sandbox)) counts.set(origin, (await list(origin)).length);
      return async () => {
        const lists = await Promise.all(
          Object.keys(sandbox).map(async (origin) => (await list(origin)).slice(counts.get(origin))),
        );
        return lists.flat();
      };
    },
  };
}

export type SandboxControl = ReturnType<typeof openSandboxControl>;

type AtlassianWorld = {
  accounts: { accountId: string }[];
  sites: { issues: { key: string; comments?: { author: string; body: string; created: string }[] }[] }[];
};
