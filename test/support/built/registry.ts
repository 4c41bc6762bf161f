import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/**
 * A local npm registry until the test ends, with packages from node_modules. It reports others as missing.
 *
 * @param documents metadata of further packages, by name
 */
export async function registry(names: string[], documents: Record<string, object> = {}) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "").slice(1));
    const packed = name.endsWith(".tgz") ? name.slice(0, -4) : undefined;
    if (packed !== undefined && names.includes(packed)) return void response.end(tarball(packed));
    const document = documents[name] ?? (names.includes(name) ? createPackument(name, url()) : undefined);
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? { error: "Not found" }));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: url() };
}

function createPackument(name: string, url: string) {
  const manifest = JSON.parse(readFileSync(`${modules}${name}/package.json`, "utf8"));
  const version = { ...manifest, dist: { tarball: `${url}${encodeURIComponent(`${name}.tgz`)}` } };
  return { name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: version } };
}

function tarball(name: string): Buffer {
  const args = ["--create", "--use-compress-program=gzip -1", "--transform=s,^\\.,package,", "--directory"];
  return execFileSync("tar", [...args, `${modules}${name}`, "."], { maxBuffer: 200 * 1024 * 1024 });
}
