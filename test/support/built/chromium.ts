import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-default-browser-check",
  "--no-first-run",
];

/** One headless Chromium for the tests of a file, each page with a separate profile. */
export function useChromium(): { open(url: string, options?: BrowserContextOptions): Promise<Page> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    // Where there is none, the tests that need it are skipped.
    browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGS }).catch(() => undefined);
  });
  afterAll(async () => browser?.close());
  return {
    open: async (url, options) => {
      if (!browser) throw new Error("There is no Chromium.");
      const page = await browser.newPage(options);
      await page.goto(url);
      return page;
    },
  };
}
