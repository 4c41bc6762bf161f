import { expect, test } from "vitest";
import { findUpgradeCommand } from "#client/update/registry";

const onDisk =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);

test.each([
  ["/usr/local/lib/node_modules/kay/dist/main.js", "npm install -g kay@latest"],
  ["/home/ann/.nvm/versions/node/v24.21.0/lib/node_modules/kay/dist/main.js", "npm install -g kay@latest"],
  ["C:\\Users\\Ann\\AppData\\Roaming\\npm\\node_modules\\kay\\dist\\main.js", "npm install -g kay@latest"],
  ["/home/ann/.npm/_npx/6b1fde9b0fa2c9f1/node_modules/kay/dist/main.js", null],
  ["/home/ann/.cache/pnpm/dlx/abc/def/node_modules/.pnpm/kay@1.2.3/node_modules/kay/dist/main.js", null],
  ["/tmp/bunx-0-kay@latest/node_modules/kay/dist/main.js", null],
  ["/home/ann/.local/share/pnpm/global/5/.pnpm/kay@1.2.3/node_modules/kay/dist/main.js", "pnpm add -g kay@latest"],
  ["/home/ann/shop/node_modules/.pnpm/kay@1.2.3/node_modules/kay/dist/main.js", "pnpm update kay --latest"],
  ["/home/ann/.config/yarn/global/node_modules/kay/dist/main.js", "yarn global add kay@latest"],
  ["C:/Users/Ann/AppData/Local/Yarn/Data/global/node_modules/kay/dist/main.js", "yarn global add kay@latest"],
  ["/home/ann/.bun/install/global/node_modules/kay/dist/main.js", "bun add -g kay@latest"],
  ["/home/ann/.volta/tools/image/packages/kay/lib/node_modules/kay/dist/main.js", "volta install kay@latest"],
  ["/opt/homebrew/Cellar/kay/1.2.3/libexec/lib/node_modules/kay/dist/main.js", "brew upgrade kay"],
  ["/opt/homebrew/lib/node_modules/kay/dist/main.js", "npm install -g kay@latest"],
  ["/home/ann/src/kay/dist/main.js", null],
  ["/main.js", null],
])("kay at %s is upgraded with %s", (file, command) => {
  expect(findUpgradeCommand(file, onDisk())).toBe(command);
});

test("kay as a dependency of a project is upgraded there", () => {
  expect(findUpgradeCommand("/shop/node_modules/kay/dist/main.js", onDisk("/shop/package.json"))).toBe(
    "npm install kay@latest",
  );
});

test("kay in its repository is never upgraded, even if npm linked it", () => {
  expect(findUpgradeCommand("/shop/node_modules/kay/dist/main.js", onDisk("/shop/node_modules/kay/src/main.ts"))).toBe(
    null,
  );
});
