import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new self-signed certificate for localhost, kay.example.test and 127.0.0.1, and its file, which is removed when the test ends. */
export function selfSigned(): { key: string; cert: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), "kay-certificate-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  const names = "subjectAltName=DNS:localhost,DNS:kay.example.test,IP:127.0.0.1";
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync(
    "openssl",
    ["req", "-x509", ...curve, "-keyout", key, "-out", file, "-days", "2", "-subj", "/CN=localhost", "-addext", names],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key, "utf8"), cert: readFileSync(file, "utf8"), file };
}
