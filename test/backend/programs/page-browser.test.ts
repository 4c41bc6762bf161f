import { afterEach, beforeEach, expect, onTestFinished } from "vitest";
import { type Listener, listen } from "#backend/http/listen";
import { useBackend } from "#test/backend";
import { useChromium } from "#test/built/chromium";
import { connect } from "#test/consent";
import { needs } from "#test/needs";

const test = needs("chromium");
const chromium = useChromium();
const world = useBackend({ mcp: true });
let listener: Listener;

beforeEach(async () => {
  listener = await listen((request, address) => world().backend.fetch(request, address), {
    host: "127.0.0.1",
    port: 0,
  });
});
afterEach(() => listener.close());

const CALLBACK = "http://127.0.0.1:33418/callback";

test.for([true, false])(
  "a phone of 390 × 844 shows the program and the code, and the link from the terminal takes it back (scripts: %s)",
  { timeout: 60_000 },
  async (javaScriptEnabled) => {
    const { token } = await connect(world());
    const client_name = `<img src=x onerror=alert(1)>${"x".repeat(300)}`;
    const { body } = await world().call("POST /mcp/register", { body: { client_name, redirect_uris: [CALLBACK] } });
    const query = new URLSearchParams({
      response_type: "code",
      client_id: String(body.client_id),
      redirect_uri: CALLBACK,
      code_challenge: "c".repeat(43),
      code_challenge_method: "S256",
    });
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, javaScriptEnabled };
    const page = await chromium.open(`${listener.url}/mcp/authorize?${query}`, phone);
    onTestFinished(() => page.context().close());
    const faults: string[] = [];
    page.on("console", (message) => faults.push(message.text()));
    await page.reload();
    for (const part of ["main", "pre", "dl", "footer"]) {
      const box = await page.locator(part).boundingBox();
      expect([part, box && box.x >= 0 && box.x + box.width <= 390]).toEqual([part, true]);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await page.locator("img").count()).toBe(0);
    const command = await page.locator("pre").textContent();
    const code = command?.replace("kay mcp authorize ", "");
    const answer = await world().call(`POST /mcp/requests/${code}`, { token, body: { allow: true } });
    await page.route(`${CALLBACK}**`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<h1>Signed in</h1>" }),
    );
    await page.goto(listener.url + new URL(String(answer.body.url)).pathname);
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:33418\/callback\?code=[\w-]{43}&iss=/);
    expect(faults).toEqual([]);
  },
);
