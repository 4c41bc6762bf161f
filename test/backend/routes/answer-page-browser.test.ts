import type { BrowserContextOptions } from "playwright-core";
import { afterEach, beforeEach, expect, onTestFinished } from "vitest";
import * as z from "zod/mini";
import { type Listener, listen } from "#backend/http/listen";
import { defineTool } from "#connectors/tool";
import { useChromium } from "#test/built/chromium";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { needs } from "#test/needs";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const test = needs("chromium");
const chromium = useChromium();
const sent: unknown[] = [];
const post = defineTool({
  name: "jira.post",
  description: "Post.",
  access: "write",
  input: z.object({ text: z.string(), to: z.string() }),
  examples: [],
  summary: ({ to }) => `Post to ${to}`,
  run: async (input) => {
    sent.push(input);
    return { data: {}, text: "Posted." };
  },
});
const { model, world } = useScriptedBackend({ services: deskServices([], undefined, [post]) });
let listener: Listener;

beforeEach(async () => {
  sent.length = 0;
  listener = await listen((request, address) => world().backend.fetch(request, address), {
    host: "127.0.0.1",
    port: 0,
  });
});
afterEach(() => listener.close());

const LONG = `${"x".repeat(300)}\n<img src=x onerror=alert(1)>\n\n${"word ".repeat(200)}`;

/** An open request, and a phone that shows its card. */
async function openPhone(javaScriptEnabled: boolean, places = ["#general"], options: BrowserContextOptions = {}) {
  const calls = places.map((to, index): [string, string, object] => [`c${index}`, "jira.post", { text: LONG, to }]);
  model.script({ calls }, { text: "Done." });
  const { token } = await connect(world());
  const turn = await ask(world(), token, "go");
  const request = await turn.asked();
  await turn.until("awaiting_approval");
  const { body } = await world().call("POST /pending/link", { token, body: { id: request.interaction_id } });
  const phone = {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    javaScriptEnabled,
    ...options,
  };
  const page = await chromium.open(listener.url + new URL(String(body.url)).pathname, phone);
  onTestFinished(() => page.context().close());
  const faults: string[] = [];
  page.on("console", (message) => faults.push(message.text()));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Approve jira.post?" }).waitFor();
  return { page, turn, faults, token, request };
}

test.for([true, false])(
  "a phone of 390 × 844 shows the card whole, edits and approves it (scripts: %s)",
  { timeout: 60_000 },
  async (scripts) => {
    const { page, turn, faults } = await openPhone(scripts);
    const main = page.locator("main");
    const box = await main.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
    for (const button of await page.getByRole("button").all()) {
      const size = await button.boundingBox();
      expect(size && size.x >= 0 && size.x + size.width <= 390 && size.height >= 44).toBe(true);
    }
    expect(await main.textContent()).toContain("x".repeat(300));
    expect(await page.locator("img").count()).toBe(0);
    await page.getByRole("link", { name: "Edit before approving" }).click();
    await page.getByRole("textbox", { name: "to", exact: true }).fill("#random");
    await page.getByRole("button", { name: "Approve as edited once" }).click();
    await page.getByRole("heading", { name: "This request was answered" }).waitFor();
    await turn.until("completed");
    expect(sent).toEqual([{ text: LONG, to: "#random" }]);
    expect(faults).toEqual([]);
  },
);

test("a phone shows every change of a step above the button that approves them all", { timeout: 60_000 }, async () => {
  const { page, turn, faults } = await openPhone(false, ["#one", "#two", "#three"]);
  await page.getByRole("link", { name: "All 3 changes of this step" }).click();
  const button = page.getByRole("button", { name: "Approve all 3" });
  const top = (await button.boundingBox())?.y ?? 0;
  for (const place of ["#one", "#two", "#three"]) {
    const box = await page.locator("dd", { hasText: place }).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height < top).toBe(true);
  }
  await button.click();
  await page.getByRole("heading", { name: "This request was answered" }).waitFor();
  await turn.until("completed");
  expect(sent).toHaveLength(3);
  expect(faults).toEqual([]);
});

test("Enter in the reason denies, and approves nothing", { timeout: 60_000 }, async () => {
  const { page, turn } = await openPhone(false);
  await page.getByRole("textbox", { name: "Reason to deny" }).fill("wrong channel");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "This request was answered" }).waitFor();
  await turn.until("completed");
  expect(sent).toEqual([]);
  expect(turn.parts.find(({ type }) => type === "data-interaction-response")).toMatchObject({
    data: { action: "deny", reason: "wrong channel" },
  });
});

test("a signed-in device opens a request that another site links to", { timeout: 60_000 }, async () => {
  const { page, request } = await openPhone(true);
  const address = `${listener.url}/answer/${request.interaction_id}`;
  await page.route("https://chat.example/", (route) =>
    route.fulfill({ contentType: "text/html", body: `<a href="${address}">Answer</a>` }),
  );
  await page.goto("https://chat.example/");
  await page.getByRole("link", { name: "Answer" }).click();
  await page.getByRole("heading", { name: "Approve jira.post?" }).waitFor();
});

/** Finds texts with less contrast than WCAG 2.2 wants (4.5 to 1), and how far the page scrolls sideways. */
const FIND_READING_FAULTS = `(() => {
  const read = (color) => color.match(/[\\d.]+/g).map(Number);
  const weigh = (part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const getLuminance = ([r, g, b]) => 0.2126 * weigh(r) + 0.7152 * weigh(g) + 0.0722 * weigh(b);
  const getGround = (element) => {
    const ground = read(getComputedStyle(element).backgroundColor);
    return ground[3] === 0 ? getGround(element.parentElement) : ground;
  };
  const low = [...document.querySelectorAll("main, main *")].flatMap((element) => {
    const pair = [getLuminance(read(getComputedStyle(element).color)), getLuminance(getGround(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    return ratio < 4.5 ? [element.tagName + " " + element.className + ": " + ratio.toFixed(2)] : [];
  });
  return { low, sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth };
})()`;

test.for([
  ["light", 1],
  ["light", 2],
  ["dark", 1],
  ["dark", 2],
] as const)(
  "the page in %s colors at zoom %d reads well, and the keyboard alone edits and approves",
  {
    timeout: 60_000,
  },
  async ([colorScheme, zoom]) => {
    const viewport = { width: 390 / zoom, height: 844 / zoom };
    const { page, turn } = await openPhone(true, ["#general"], { colorScheme, viewport, deviceScaleFactor: zoom });
    expect(await page.evaluate(FIND_READING_FAULTS)).toEqual({ low: [], sideways: 0 });
    const focusOn = async (name: string) => {
      for (let presses = 0; presses < 20; presses++) {
        await page.keyboard.press("Tab");
        const focused = page.locator(":focus");
        if ((await focused.count()) === 0) continue;
        expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
        if ((await focused.ariaSnapshot()).includes(name)) return;
      }
      throw new Error(`Tab does not reach ${name}.`);
    };
    await focusOn('link "Edit before approving"');
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Edit" }).waitFor();
    expect(await page.evaluate(FIND_READING_FAULTS)).toEqual({ low: [], sideways: 0 });
    await focusOn('textbox "to"');
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("#random");
    await focusOn('button "Approve as edited once"');
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "This request was answered" }).waitFor();
    await turn.until("completed");
    expect(sent).toEqual([{ text: LONG, to: "#random" }]);
  },
);
