import type { Backend } from "#backend/ports";

/** What a browser shows of a page, and what it sends when its form is submitted. */
export type Shown = { status: number; html: string; headers: Headers; fields: Record<string, string> };

/** A browser at the page where a key is pasted: `open` shows it, `submit` fills it in and sends it. */
export function browserAt(backend: Backend, url: string) {
  const target = new URL("key", url).href;
  return {
    open: async () => readPage(await backend.fetch(new Request(url))),
    submit: async (fields: Record<string, string>, headers: Record<string, string> = { origin: new URL(url).origin }) =>
      readPage(
        await backend.fetch(
          new Request(target, {
            method: "POST",
            headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
            body: new URLSearchParams(fields).toString(),
          }),
        ),
      ),
  };
}

/** Opens the page and pastes a secret into it. */
export async function paste(backend: Backend, url: string, entered: Record<string, string>): Promise<Shown> {
  const browser = browserAt(backend, url);
  const { fields } = await browser.open();
  return browser.submit({ ...fields, decision: "connect", ...entered });
}

async function readPage(response: Response): Promise<Shown> {
  const html = await response.text();
  const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return {
    status: response.status,
    html,
    headers: response.headers,
    fields: Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])),
  };
}
