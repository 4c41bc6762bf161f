import { readdir, readFile, writeFile } from "node:fs/promises";
import { test } from "vitest";
import { useKay } from "#test/kay";
const kay = useKay();
test("write golden files", async () => {
  const folder = new URL("./help/", import.meta.url);
  for (const file of await readdir(folder)) {
    const name = file.replace(".txt", "");
    const { exit, stdout } = await kay()(name === "kay" ? ["help"] : `help ${name}`);
    if (exit !== 0) throw new Error(name);
    await writeFile(new URL(file, folder), stdout);
  }
});
