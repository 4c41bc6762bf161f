import type { Fetch } from "#net/ports";
import { read } from "./documents.ts";

/** The example of docs/services.md, as it stands there. */
export const TASKS = /```yaml\n(name: tasks\n[\s\S]*?)```/.exec(read("docs/services.md").text)?.[1] ?? "";

/** Address of the example's service, and a valid key. */
export const TASKS_API = "https://tasks.example.com/api/v1";
export const TASKS_KEY = "tk_0123456789abcdef";

type Task = { id: string; title: string; status: string; owner: { name: string }; priority?: number };

/** The service that the example describes: a small HTTP API with a key, and every request that reached it. */
export function tasksService() {
  const tasks: Task[] = [
    { id: "T-1", title: "Water the plants", status: "open", owner: { name: "Ann" } },
    { id: "T-2", title: "Pay | the rent", status: "done", owner: { name: "Ann" } },
  ];
  const requests: { call: string; key: string | null; body: string }[] = [];
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    const { origin, pathname, searchParams } = new URL(url);
    const body = await request.text();
    const key = request.headers.get("x-api-key");
    requests.push({ call: `${request.method} ${url}`, key, body });
    if (`${origin}${pathname}`.startsWith(`${TASKS_API}/`) === false) throw new TypeError(`nothing listens at ${url}`);
    if (key !== TASKS_KEY) return Response.json({ message: "Wrong key" }, { status: 401 });
    const path = pathname.slice(new URL(TASKS_API).pathname.length);
    if (path === "/me") return Response.json({ id: 7, profile: { name: "Ann", email: "ann@example.com" } });
    if (path === "/tasks" && request.method === "GET") {
      const status = searchParams.get("status");
      return Response.json({ data: { tasks: tasks.filter((task) => status === null || task.status === status) } });
    }
    if (path === "/tasks") {
      const { task } = JSON.parse(body) as { task: Task };
      const newTask = { ...task, id: `T-${tasks.length + 1}`, status: "open", owner: { name: "Ann" } };
      tasks.push(newTask);
      return Response.json(newTask, { status: 201 });
    }
    const taskIndex = tasks.findIndex(({ id }) => path === `/tasks/${id}`);
    if (request.method !== "DELETE" || taskIndex < 0)
      return Response.json({ message: "No such task" }, { status: 404 });
    tasks.splice(taskIndex, 1);
    return new Response(null, { status: 204 });
  };
  return { fetch, tasks, seen: requests };
}
