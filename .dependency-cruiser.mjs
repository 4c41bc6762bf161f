// The rooms and what each may see. A broken rule is reported with its name, which says what is allowed.

/** @typedef {import("dependency-cruiser").IRegularForbiddenRuleType} Rule */

/** Rooms of src, and the other rooms that each may import. `main.ts` joins them with what `process.ts` and `children.ts` take from the process; nothing imports it. */
const rooms = {
  protocol: [],
  planner: [],
  net: ["protocol"],
  files: ["protocol", "net"],
  telemetry: ["protocol", "net"],
  connectors: ["protocol", "net"],
  agent: ["protocol", "net", "telemetry", "connectors", "planner"],
  backend: ["protocol", "net", "files", "telemetry", "connectors", "agent", "mcp-server"],
  client: ["protocol", "net", "files"],
  ui: ["protocol"],
  "mcp-server": ["protocol"],
  cli: ["protocol", "net", "files", "client", "ui", "mcp-server"],
  sandbox: ["protocol", "net"],
  host: ["protocol", "net", "files", "telemetry", "client", "connectors", "agent", "backend", "sandbox"],
};

/** Rooms of the backend, lowest first. `ports.ts` is open to all; `app.ts` joins them. */
const backend = {
  store: [],
  http: [],
  "agent-client": [],
  accounts: ["store"],
  approvals: ["store"],
  connections: ["accounts", "store"],
  programs: ["connections", "accounts", "store"],
  tools: ["connections", "approvals", "store"],
  generations: ["tools", "connections", "approvals", "agent-client", "store"],
  "agent-server": ["generations", "connections", "agent-client", "store"],
  schedules: ["generations", "store"],
  routes: [
    "store",
    "accounts",
    "approvals",
    "connections",
    "programs",
    "tools",
    "agent-client",
    "generations",
    "agent-server",
    "schedules",
    "http",
  ],
};

/**
 * Packages with one place to be used in.
 *
 * @type {Record<string, string>}
 */
const packages = {
  commander: "cli/",
  "ink|react": "ui/",
  undici: "host/",
  "hono|@hono/.+": "(backend/(routes/|http/|app\\.ts)|sandbox/)",
  "ai|@ai-sdk/(?!otel).+": "(agent|planner)/",
  "prom-client|@opentelemetry/.+|@ai-sdk/otel": "host/",
  "wink-.+|chrono-node": "planner/",
  kysely: "(backend|host/postgres)/",
  pg: "(backend/store|host/postgres)/",
  jose: "backend/(accounts|agent-client)/",
  oauth4webapi: "backend/connections/",
  "@modelcontextprotocol/(?!server).+": "connectors/mcp/",
  "@modelcontextprotocol/server": "(mcp-server|cli/commands/mcp|backend/routes/mcp)/",
  re2js: "(planner|protocol/output)/",
  "jwt-decode|conf|@napi-rs/keyring|semver": "client/",
  "cross-spawn": "(host|cli/terminal)/",
  "eventsource-parser": "(client|backend/agent-client|net)/",
};

/**
 * Type imports that a room may have of a package that another room uses.
 *
 * @type {Record<string, string>}
 */
const typesOf = { "ai|@ai-sdk/(?!otel).+": "backend/" };

/** Packages that build, check or test. Everything else that package.json names is put into the bundle, so it is a development dependency too. */
const tools =
  "@biomejs/.+|@copilotkit/.+|@googleapis/.+|@hubspot/.+|@lydell/.+|@notionhq/.+|@octokit/.+|@slack/.+|@xterm/.+|airtable|bitbucket|confluence\\.js|" +
  "dependency-cruiser|esbuild|fast-check|jira\\.js|knip|node|playwright-core|tsup|typescript|vitest";

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(rooms).map(([name, others]) => room("src", name, others)),
    ...Object.entries(backend).map(([name, others]) => room("src/backend", name, others)),
    ...Object.entries(packages).flatMap(([names, place]) => packageRule(names, place)),
    rule("no room sees main.ts", { path: "^src/." }, { path: "^src/main\\.ts$" }),
    rule(
      "only main.ts sees process.ts",
      { path: "^src/", pathNot: "^src/main\\.ts$" },
      { path: "^src/(process|children)\\.ts$" },
    ),
    rule("src sees nothing beside it", { path: "^src/" }, { path: "^(test|scripts|bench|bin|dist)/" }),
    rule(
      "other rooms are imported by their # names",
      { path: "^src/([^/]+)/" },
      { path: "^src/(?!$1/)", dependencyTypesNot: ["aliased-subpath-import"] },
    ),
    // Classic zod is larger; the core is what mini is built on.
    rule("zod is used as zod/mini", { path: "^src/" }, { path: "node_modules/zod/", pathNot: "/(mini|core)/" }),
    rule("no cycles", {}, { circular: true }),
    rule("imports resolve", {}, { couldNotResolve: true }),
    rule("src uses what package.json names", { path: "^src/" }, { dependencyTypes: ["npm-no-pkg"] }),
    rule("src uses no tool", { path: "^src/" }, { path: `node_modules/(${tools})/` }),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types", "default"] },
  },
};

/**
 * @param {string} parent
 * @param {string} name
 * @param {readonly string[]} others
 */
function room(parent, name, others) {
  const seen = [name, ...others];
  const open = parent === "src" ? "" : "|ports\\.ts$";
  return rule(
    `${parent}/${name} sees only ${seen.join(", ")}`,
    { path: `^${parent}/${name}/` },
    { path: `^${parent}/`, pathNot: `^${parent}/((${seen.join("|")})/${open})` },
  );
}

/**
 * @param {string} names
 * @param {string} place
 */
function packageRule(names, place) {
  const types = typesOf[names];
  return [
    rule(
      `${names} only in ${place}`,
      { path: "^src/", pathNot: `^src/${types ? `(${place}|${types})` : place}` },
      { path: `node_modules/(${names})/` },
    ),
    ...(types
      ? [
          rule(
            `only types of ${names} in ${types}`,
            { path: `^src/${types}` },
            { path: `node_modules/(${names})/`, dependencyTypesNot: ["type-only"] },
          ),
        ]
      : []),
  ];
}

/**
 * @param {string} name
 * @param {Rule["from"]} from
 * @param {Rule["to"]} to
 * @returns {Rule}
 */
function rule(name, from, to) {
  return { name, severity: "error", from, to };
}
