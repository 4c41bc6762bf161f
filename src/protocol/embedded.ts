/** Name of the record in the state folder. */
export const EMBEDDED_RECORD = "backend.json";

/** The record of what `kay serve` runs at a port, by which `kay serve --status` of the same user finds its secret. */
export function getServeRecordName(port: number): string {
  return `serve-${port}.json`;
}

/** Header that carries the local secret. */
export const LOCAL_SECRET_HEADER = "Kay-Local-Secret";

/** Path that ends the embedded backend (POST, behind the local secret): it stops when nothing is under way, else answers 409. */
export const STOP_PATH = "/local/stop";

/** Environment that changes what a backend does; its change makes a new embedded backend necessary. */
const SHAPING =
  /^(KAY_(MODEL|DATABASE_URL|CLIENT_.*|KYG_.*|KEYS|CA_FILE)|DATABASE_URL|(OPENAI|ANTHROPIC|GOOGLE|GEMINI|OLLAMA)_.*|(HTTPS?|ALL|NO)_PROXY|NODE_EXTRA_CA_CERTS)$/i;

/** What goes into the fingerprint: the shaping environment and the settings of client ids, in a stable order. */
export function toShapeText(env: Record<string, string | undefined>, settings: Record<string, unknown>): string {
  const entries = Object.entries(env)
    .filter(([name, value]) => value !== undefined && SHAPING.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([entries, Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
