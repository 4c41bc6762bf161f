import { globSync, readFileSync } from "node:fs";

type Metafile = { outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> };
type Manifest = { name: string; version: string; license?: string; homepage?: string };

/** Copyright holders of packages without a license text, according to their repositories. */
const HOLDERS: Record<string, string> = {
  "@ai-sdk/provider-utils": "Copyright 2023 Vercel, Inc.",
  "yoga-layout": "Copyright (c) Facebook, Inc. and its affiliates.",
};

/** Packages of the files that are bundled separately (tsup.config.ts). */
const BESIDE = ["node_modules/jq-wasm"];

/** Other components of a package, with the file of their licenses in `licenses`. */
const MADE_OF: Record<string, string> = { "jq-wasm": "jq" };

/** Licenses that require no copy. */
const WHOLE = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0", "Unlicense"]);

/**
 * Lists the folders of all bundled packages.
 *
 * @param metafile esbuild's metadata of the build
 */
function listBundled(metafile: string): string[] {
  const { outputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  const folders = new Set<string>(BESIDE);
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^[^:]*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort();
}

/**
 * Returns the license of every bundled package, with its text.
 *
 * @param root the repository's folder, with a trailing slash
 * @param metafile esbuild's metadata of the build
 * @throws for a package without a license text, or with an unknown license, which someone must review
 */
export function thirdPartyLicenses(root: string, metafile: string): string {
  const entries = listBundled(metafile).map((folder) => entry(`${root}${folder}`));
  const apache = [`${LINE}\nThe Apache License 2.0, under which packages above are given`, standard("Apache-2.0"), ""];
  return `kay contains parts of these packages.\n\n${[...entries, apache.join("\n\n")].join("\n")}`;
}

/**
 * Returns the list of all bundled packages in CycloneDX 1.6, which scanners of known vulnerabilities read: a bundled
 * package is in no `node_modules` of the user, where `npm audit` would find it.
 */
export function billOfMaterials(root: string, metafile: string): object {
  const components = listBundled(metafile).map((folder) => toComponent("library", readManifest(`${root}${folder}`)));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: toComponent("application", readManifest(root)) },
    components,
  };
}

function toComponent(type: string, { name, version, license = "" }: Manifest): object {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type, "bom-ref": purl, name, version, purl, licenses: [{ license: { id: license } }] };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest;
}

const LINE = "─".repeat(80);

function entry(folder: string): string {
  const { name, version, license = "", homepage } = readManifest(folder);
  if (license !== "Apache-2.0" && !WHOLE.has(license))
    throw new Error(`${name}: the licence "${license}" is not known.`);
  const texts = [
    ...new Set([...readFiles(folder), ...(readFiles(folder).length ? [] : [findText(name, license, folder)])]),
  ];
  const parts = MADE_OF[name];
  if (parts) texts.push(standard(parts));
  return [`${LINE}\n${name} ${version} (${license})${homepage ? ` ${homepage}` : ""}`, ...texts, ""].join("\n\n");
}

function readFiles(folder: string): string[] {
  return globSync("{LICENSE,LICENCE,license,licence,COPYING,NOTICE}{,.*,-*}", { cwd: folder })
    .sort()
    .map((file) => readFileSync(`${folder}/${file}`, "utf8").trim());
}

/** For a package without a license file: the text in its README, otherwise the standard text. */
function findText(name: string, license: string, folder: string): string {
  const [readme] = globSync("{README,readme,Readme}.md", { cwd: folder });
  const section = readme && /^#+ *licen[sc]e\s*$(.*)/ims.exec(readFileSync(`${folder}/${readme}`, "utf8"))?.[1]?.trim();
  if (section && /copyright/i.test(section) && /permission is hereby granted/i.test(section)) return section;
  const holder = HOLDERS[name];
  if (!holder) throw new Error(`${name}: there is no text of its licence.`);
  return license === "Apache-2.0" ? holder : `${holder}\n\n${standard(license)}`;
}

function standard(license: string): string {
  return readFileSync(new URL(`licenses/${license}.txt`, import.meta.url), "utf8").trim();
}
