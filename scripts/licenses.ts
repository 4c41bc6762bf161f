import { globSync, readFileSync } from "node:fs";

type Metafile = { outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> };
type Manifest = { name: string; version: string; license?: string | { type?: string }; homepage?: string };

/**
 * The licence of every package of which a part went into the bundle, with its text.
 *
 * @param root the repository's folder, with a trailing slash
 * @param metafile esbuild's account of the build
 */
export function thirdPartyLicenses(root: string, metafile: string): string {
  const { outputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^[^:]*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  const entries = [...folders].sort().map((folder) => entry(`${root}${folder}`));
  return `kay contains parts of these packages.\n\n${entries.join("\n")}`;
}

function entry(folder: string): string {
  const { name, version, license, homepage } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest;
  const kind = typeof license === "string" ? license : (license?.type ?? "see its page");
  const texts = globSync("{LICENSE,LICENCE,license,licence,COPYING,NOTICE}{,.*,-*}", { cwd: folder })
    .sort()
    .map((file) => readFileSync(`${folder}/${file}`, "utf8").trim());
  return [
    `${"─".repeat(80)}\n${name} ${version} (${kind})${homepage ? ` ${homepage}` : ""}`,
    ...new Set(texts),
    "",
  ].join("\n\n");
}
