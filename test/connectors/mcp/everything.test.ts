import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InteractionPrompt, ToolInteraction, UserResponse } from "#connectors/interaction";
import { type McpClient, openMcpClient } from "#connectors/mcp/client";
import type { McpTool } from "#connectors/mcp/definition";
import { createElicitationHandler } from "#connectors/mcp/elicitation";
import { type ToolList, toToolList } from "#connectors/mcp/tools/read-tools";
import { toToolResult } from "#connectors/mcp/tools/result";
import type { McpClientOptions } from "#connectors/mcp/types";
import { createPrograms } from "#host/programs";
import { EVERYTHING, everythingServer } from "#test/everything";

const ASKING = { title: "Everything", where: "mcp-server-everything" };

/** A user who answers each card as the test says. */
function person(...answers: UserResponse[]) {
  const cards: InteractionPrompt[] = [];
  const requestInteraction = async (request: ToolInteraction): Promise<unknown> => {
    let prompt: InteractionPrompt = request;
    for (;;) {
      cards.push(prompt);
      const outcome = await request.onResponse(answers.shift() ?? { action: "cancel" });
      if ("complete" in outcome) return outcome.complete;
      if ("reprompt" in outcome) prompt = outcome.reprompt;
    }
  };
  return { cards, people: { interaction: { available: true }, log: () => {}, requestInteraction } };
}

describe.each(["a program of this machine", "Streamable HTTP", "HTTP with SSE"])(
  "the reference server over %s",
  (way) => {
    let link: McpClient;
    let list: ToolList;
    let end = async () => {};

    beforeAll(async () => {
      let place: McpClientOptions["place"];
      if (way !== "a program of this machine") {
        const server = await everythingServer(way === "HTTP with SSE" ? "sse" : "streamableHttp");
        end = server.end;
        place = { http: { url: server.url, fetch } };
      } else {
        const programs = createPrograms(process.env, process);
        place = { program: { programs, command: [...EVERYTHING, "stdio"] } };
      }
      link = await openMcpClient({ name: "everything", title: "Everything", version: "0.0.0", elicits: true, place });
      list = toToolList("everything", await link.tools());
    }, 30_000);

    afterAll(async () => {
      await link?.close();
      await end();
    });

    /** The result of a call as a user sees it. */
    async function callTool(remote: string, input: Record<string, unknown> = {}) {
      const tool = list.tools.find((tool) => tool.remote === remote) as McpTool;
      return toToolResult("Everything", tool, await link.call(remote, input, { writes: false }));
    }

    test("it names itself and lists its tools, including those that need a user to ask", async () => {
      expect([link.server, link.era]).toEqual([{ name: "Everything Reference Server", version: "2.0.0" }, "legacy"]);
      const { tools, left } = list;
      expect(left).toEqual([]);
      expect(tools.map(({ access, name }) => `${access} ${name}`)).toEqual([
        "read everything.echo",
        "read everything.get_annotated_message",
        "read everything.get_env",
        "read everything.get_resource_links",
        "read everything.get_resource_reference",
        "read everything.get_structured_content",
        "read everything.get_sum",
        "read everything.get_tiny_image",
        "write everything.gzip_file_as_resource",
        "read everything.prompts_get",
        "read everything.prompts_list",
        "read everything.resources_list",
        "read everything.resources_read",
        "write everything.simulate_research_query",
        "write everything.toggle_simulated_logging",
        "write everything.toggle_subscriber_updates",
        "write everything.trigger_elicitation_request",
        "read everything.trigger_long_running_operation",
        "write everything.trigger_url_elicitation",
      ]);
    });

    test("its resources and prompts are listed and read as tools", async () => {
      const resources = (await callTool("resources/list")).text;
      expect(resources).toMatch(/^- `demo:\/\/resource\/static\/document\/[\w.-]+`: /m);
      expect(resources).toMatch(/^- `demo:\/\/resource\/dynamic\/text\/\{resourceId\}`: .*a template/m);
      expect((await callTool("resources/read", { uri: "demo://resource/dynamic/text/3" })).text).toMatch(
        /^`demo:\/\/resource\/dynamic\/text\/3`\n\nResource 3: /,
      );
      await expect(callTool("resources/read", { uri: "demo://nothing" })).rejects.toMatchObject({
        code: "SERVICE_FAILED",
      });
      expect((await callTool("prompts/list")).text).toMatch(/^- `args-prompt`: .*arguments: city, state\?/m);
      const prompt = { name: "args-prompt", arguments: '{"city": "Bern"}' };
      expect((await callTool("prompts/get", prompt)).text).toContain("Bern");
      await expect(callTool("prompts/get", { ...prompt, arguments: "Bern" })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
    });

    test("text, structured answers, pictures, resources and links are shown as such", async () => {
      expect(await callTool("echo", { message: "hello" })).toEqual({ data: null, text: "Echo: hello" });
      expect(await callTool("get-structured-content", { location: "Chicago" })).toEqual({
        data: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 },
        text: '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}',
      });
      expect(await callTool("get-annotated-message", { messageType: "error", includeImage: true })).toMatchObject({
        text: "Error: Operation failed\n\n(An image, image/png, 4 KiB)",
      });
      expect(await callTool("get-resource-links", { count: 2 })).toMatchObject({
        text: expect.stringMatching(
          /\n\nBlob Resource 1: `demo:\/\/resource\/dynamic\/blob\/1`\n\nText Resource 2: `demo:/,
        ),
      });
      expect(await callTool("get-resource-reference", { resourceType: "Text", resourceId: 3 })).toMatchObject({
        text: expect.stringContaining(
          "\n\n`demo://resource/dynamic/text/3`\n\nResource 3: This is a plaintext resource",
        ),
      });
      expect(await callTool("get-resource-reference", { resourceType: "Blob", resourceId: 3 })).toMatchObject({
        text: expect.stringMatching(/\n\n\(`demo:\/\/resource\/dynamic\/blob\/3`, text\/plain, \d+ bytes\)\n\n/),
      });
    });

    test("a long operation reports its progress", async () => {
      const messages: string[] = [];
      const input = { duration: 0.2, steps: 4 };
      const options = { writes: false, onProgress: (words: string) => void messages.push(words) };
      const { content } = await link.call("trigger-long-running-operation", input, options);
      expect([messages[0], content]).toEqual([
        "1 of 4",
        [{ type: "text", text: "Long running operation completed. Duration: 0.2 seconds, Steps: 4." }],
      ]);
    });

    test("its form, with a field of each kind, is filled in, checked and answered", async () => {
      const input = {
        name: "Ann",
        check: true,
        email: "ann@example",
        integer: "42",
        untitledMultipleSelectEnum: ["Piano"],
        titledMultipleSelectEnum: ["fish-1"],
      };
      const { cards, people } = person(
        { action: "submit", input },
        { action: "submit", input: { ...input, email: "ann@example.test" } },
      );
      const handler = createElicitationHandler(people, ASKING);
      const result = await link.call(
        "trigger-elicitation-request",
        {},
        { writes: true, onElicitation: handler.answer },
      );
      expect(cards[0]?.inputSchema?.fields.map(({ id, type }) => `${id} ${type}`)).toEqual([
        "name text",
        "check checkbox",
        "firstLine text",
        "email text",
        "homepage text",
        "birthdate text",
        "integer text",
        "number text",
        "untitledSingleSelectEnum select",
        "untitledMultipleSelectEnum checkbox",
        "titledSingleSelectEnum select",
        "titledMultipleSelectEnum checkbox",
        "legacyTitledEnum select",
      ]);
      expect(cards[1]?.error).toBe("“String with email format” must be an email address.");
      expect(JSON.stringify(result.content)).toContain("ann@example.test");
    });

    test("its URL is shown and answered, even if the call first fails because of it", async () => {
      for (const errorPath of [false, true]) {
        const { cards, people } = person({ action: "submit" }, { action: "submit" });
        const call = { url: "https://example.com/pay", message: "Pay.", errorPath };
        await link.call("trigger-url-elicitation", call, {
          writes: false,
          onElicitation: createElicitationHandler(people, ASKING).answer,
        });
        expect(cards.map(({ link }) => link?.startsWith("https://"))).toEqual(errorPath ? [true, true] : [true]);
      }
    });

    test("a stopped call ends at once, and the connection continues", async () => {
      const signal = AbortSignal.timeout(100);
      const call = link.call("trigger-long-running-operation", { duration: 5, steps: 1 }, { writes: false, signal });
      await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
      expect(await callTool("get-sum", { a: 1, b: 2 })).toMatchObject({ text: "The sum of 1 and 2 is 3." });
    });
  },
);
