/** File name of the local backend's record in the state folder. */
export const EMBEDDED_RECORD = "backend.json";

/** Preferred port of the local backend: providers redirect only to the address that a custom OAuth client is registered with. */
export const EMBEDDED_PORT = 4040;

/** Profile of the tour, and folder of its backend's state and data. That backend has only the sandbox's services. */
export const TOUR = "tour";

/** Returns the file name of the record that `kay serve` writes for a port. `kay serve --status` reads its secret. */
export function getServeRecordName(port: number): string {
  return `serve-${port}.json`;
}

/** Header for the secret of a local backend. */
export const LOCAL_SECRET_HEADER = "Kay-Local-Secret";

/** Path that stops the local backend (POST, requires the local secret). Answers 409 while a generation is running. */
export const STOP_PATH = "/local/stop";

/** Path where a backend with a record proves that it knows the secret (GET, `challenge`). */
export const PROOF_PATH = "/local/proof";

/** Environment variables that change how a backend behaves. A change requires a new local backend. */
const SHAPING =
  /^(KAY_(MODEL|DATABASE_URL|CLIENT_.*|KYG_.*|GITHUB_URL|[A-Z]+_SIGN_IN|KEYS|CA_FILE)|DATABASE_URL|(OPENAI|ANTHROPIC|GOOGLE|GEMINI|OLLAMA)_.*|(HTTPS?|ALL|NO)_PROXY|NODE_EXTRA_CA_CERTS)$/i;

/** Lists the variables of an environment that change how a backend behaves, sorted. */
export function listShapingVariables(env: Record<string, string | undefined>): string[] {
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && SHAPING.test(name))
    .sort();
}

/** Returns the text behind the fingerprint: relevant environment variables and client IDs, sorted. */
export function toShapeText(env: Record<string, string | undefined>, settings: Record<string, unknown>): string {
  const entries = listShapingVariables(env).map((name) => [name, env[name]]);
  return JSON.stringify([entries, Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
