import type { Hono } from "hono";
import type { SandboxEnv } from "./provider.ts";

const COLOURS = ["#0b5fd6", "#0a7a52", "#a8431b", "#7a3ea8", "#8a6100", "#b0275d"];

/** Returns the address of a picture at the requested origin. */
export function getAvatarUrl(request: Request, name: string): string {
  return `${new URL(request.url).origin}/_avatars/${encodeURIComponent(name)}.svg`;
}

/** Pictures for names: initials on a color, so that every URL in a response works. */
export function registerAvatars(app: Hono<SandboxEnv>): void {
  app.get("/_avatars/:file", (c) => {
    const name = c.req.param("file").replace(/\.svg$/, "");
    const letters = [...name.matchAll(/(?:^|[\s-])([\p{L}\p{N}])/gu)]
      .map((match) => match[1]?.toUpperCase())
      .slice(0, 2)
      .join("");
    const colour = COLOURS[[...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % COLOURS.length];
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><rect width="48" height="48" fill="${colour}"/><text x="24" y="31" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">${letters}</text></svg>`;
    return c.body(svg, 200, {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    });
  });
}
