/**
 * Returns the command that upgrades this kay, based on its location; null for one that is not upgraded, such as from
 * npx or the repository.
 *
 * @param file the bundle's `main.js`, with links resolved
 * @param exists whether a file or folder exists
 */
export function findUpgradeCommand(file: string, exists: (path: string) => boolean): string | null {
  const path = file.replaceAll("\\", "/");
  const [root] = /^.*(?=\/dist\/)/.exec(path) ?? [];
  if (root === undefined || !root.endsWith("/node_modules/kay") || exists(`${root}/src/main.ts`)) return null;
  const known = INSTALLERS.find(([place]) => place.test(root));
  if (known) return known[1];
  const project = root.slice(0, -"/node_modules/kay".length);
  return exists(`${project}/package.json`) ? `npm install kay@latest` : "npm install -g kay@latest";
}

/** Locations of package managers; the first match counts. Null if it is not an installation. */
const INSTALLERS: [RegExp, string | null][] = [
  [/\/_npx\//, null],
  [/\/dlx(-[^/]*)?\//, null],
  [/\/bunx-/, null],
  [/\/Cellar\/kay\//, "brew upgrade kay"],
  [/\/\.volta\//, "volta install kay@latest"],
  [/\/\.bun\/install\/global\//, "bun add -g kay@latest"],
  [/\/[Yy]arn\/([^/]+\/)?global\//, "yarn global add kay@latest"],
  [/\/pnpm\/(.*\/)?global\/|\/pnpm-global\//, "pnpm add -g kay@latest"],
  [/\/\.pnpm\//, "pnpm update kay --latest"],
];
