import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { AGENT_ROLE, AGENT_SERVERS, CLIENTS, FAULTS, FIRST, LOAD, LOOKS, SECOND, THIRD } from "./first-migrations.ts";

/**
 * Migrations in order, run under Kysely's own lock by whichever process opens the database first. Only additive changes: an older
 * node may still run against the newer schema.
 */
export const MIGRATIONS: Record<string, Migration> = {
  "001_accounts_connections_asking": runEach(() => FIRST),
  "002_events_interactions_policies": runEach(() => SECOND),
  "003_described_services": runEach(() => THIRD),
  "004_looks": runEach(() => LOOKS),
  "006_faults": runEach(() => FAULTS),
  "007_agent_servers": runEach(() => AGENT_SERVERS),
  "008_agent_role": runEach(() => AGENT_ROLE),
  "009_mcp": runEach(() => MCP),
  "010_mcp_auth": runEach(() => MCP_AUTH),
  "011_clients": runEach(() => CLIENTS),
  "013_load_indexes": runEach(() => LOAD),
  "014_generation_state": runEach(() => GENERATION_STATE),
  "015_anonymous_and_browsers": runEach(() => BROWSERS),
  "016_writes": runEach(() => WRITES),
  "017_waiting": runEach(() => WAITING),
  "018_mcp_own_clients": runEach(() => MCP_OWN_CLIENTS),
  "019_detached": runEach(() => DETACHED),
  "020_notices": runEach(() => NOTICES),
  "021_answer_devices": runEach(() => ANSWER_DEVICES),
  "022_programs": runEach(() => PROGRAMS),
  "023_schedules": runEach(() => SCHEDULES),
  "024_attachments": runEach(() => ATTACHMENTS),
  "025_call_tasks": runEach(() => CALL_TASKS),
  "026_approval_targets": runEach(() => ["alter table approvals add column target text"]),
  "027_counted": runEach(() => COUNTED),
  "028_script_tokens": runEach(() => SCRIPT_TOKENS),
};

function runEach(list: () => string[]): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of list()) await sql.raw(statement).execute(db);
    },
  };
}

/** MCP servers in a separate table, because an older node reads every row of described_services as a description. */
const MCP = [
  `create table mcp_services (
     installation_id text not null references installations on delete cascade, name text not null, definition json not null, offered json,
     created_at timestamptz not null, updated_at timestamptz not null, primary key (installation_id, name))`,
];

/** For MCP servers: where users sign in, as which client, and which node keeps a call open while the user is asked. */
const MCP_AUTH = [
  `alter table states add column "authorization" bytea`,
  `alter table grants add column "authorization" bytea, add column wanted_scopes text`,
  `create table mcp_clients (
     issuer text not null, redirect_uri text not null, sealed bytea, primary key (issuer, redirect_uri))`,
  `alter table generations add column kept_by integer`,
];

/**
 * Separate columns for the request and the progress. An older node changes only `options`; `progress` then becomes
 * null, so that `options` is read (`parseGenerationState`).
 */
const GENERATION_STATE = [
  `alter table generations add column request jsonb, add column progress jsonb`,
  `create function forget_generation_progress() returns trigger language plpgsql as $$ begin new.progress := null; return new; end $$`,
  `create trigger generations_changed_by_older_node before update on generations for each row
     when (new.options is distinct from old.options and new.progress is not distinct from old.progress)
     execute function forget_generation_progress()`,
];

/**
 * Installations without a sign-in, which expire. An authorization knows the browser that began it, and what its page
 * shows.
 */
const BROWSERS = [
  `alter table installations add column anonymous boolean not null default false`,
  `create index installations_anonymous on installations (created_at) where anonymous`,
  `alter table states add column user_code text, add column requested_from text, add column browser_hash bytea`,
];

/** For the list of an installation's writes, newest first, and the account that each was sent as. */
const WRITES = [
  `alter table effects add column account text`,
  `create index effects_listed on effects (installation_id, created_at desc, id desc)`,
];

/**
 * For requests that wait long: the node that asked, and whether the request stays open while a client is attached. How
 * long the requests of an installation wait, in seconds.
 */
const WAITING = [
  `alter table interactions add column node integer, add column stays boolean not null default false`,
  `alter table installations add column approval_timeout integer`,
];

/** A client that a user registered for an MCP server: its secret, and the authorization server that it was first used at. */
const MCP_OWN_CLIENTS = [`alter table mcp_services add column sealed_client bytea, add column client_issuer text`];

/** Generations that run although no client follows them. */
const DETACHED = [`alter table generations add column detached boolean not null default false`];

/** When a notification about an open request was sent. */
const NOTICES = [
  `alter table interactions add column notified_at timestamptz`,
  `alter table generations add column notified_at timestamptz`,
];

/** For the page where requests are answered: links that sign a device in once, and the devices. Each ends with its sign-in. */
const ANSWER_DEVICES = [
  `create table answer_links (
     hash bytea primary key, family_id text not null references families on delete cascade, interaction_id text,
     expires_at timestamptz not null)`,
  `create index answer_links_by_family on answer_links (family_id)`,
  `create table answer_devices (
     hash bytea primary key, family_id text not null references families on delete cascade, expires_at timestamptz not null)`,
  `create index answer_devices_by_family on answer_devices (family_id)`,
];

/**
 * For programs that use `/mcp`: their requests, which expire after minutes, and the authorized ones. Each ends with its
 * sign-in.
 */
const PROGRAMS = [
  `create table programs (
     id text primary key, family_id text not null references families on delete cascade, client_id text not null, name text not null,
     redirect_uri text not null, sequence integer not null, created_at timestamptz not null, used_at timestamptz not null)`,
  `create index programs_by_family on programs (family_id)`,
  `create table program_requests (
     user_code text primary key, client_id text not null, name text not null, redirect_uri text not null, state text,
     code_challenge text not null, requested_from text, created_at timestamptz not null, expires_at timestamptz not null,
     family_id text references families on delete cascade, code_hash bytea unique, program_id text)`,
  `create index program_requests_by_age on program_requests (created_at)`,
];

/** Requests that run at set times. `next_at` is null while one is paused. */
const SCHEDULES = [
  `create table schedules (
     id text primary key, installation_id text not null references installations on delete cascade, timing text not null,
     time_zone text not null, request jsonb not null, next_at timestamptz, last_at timestamptz, last_conversation_id text,
     last_generation_id text, missed integer not null default 0, missed_since timestamptz, missed_until timestamptz,
     missed_reason text, created_at timestamptz not null)`,
  `create index schedules_by_installation on schedules (installation_id, created_at)`,
  `create index schedules_due on schedules (next_at) where next_at is not null`,
];

/** Files that users gave in their requests. They are deleted with the conversation. */
const ATTACHMENTS = [
  `create table attachments (
     id text primary key, conversation_id text not null references conversations on delete cascade, generation_id text not null,
     position integer not null, name text not null, type text not null, size integer not null, sha256 text not null, content bytea not null)`,
  `create index attachments_by_conversation on attachments (conversation_id)`,
  // Pictures and PDFs are compressed already.
  `alter table attachments alter column content set storage external`,
];

/** Handles of calls that a service runs as tasks, by the ID of the call's effect. */
const CALL_TASKS = [
  `create table call_tasks (
     id text primary key, installation_id text not null references installations on delete cascade, handle text not null,
     created_at timestamptz not null)`,
  `create index call_tasks_by_installation on call_tasks (installation_id, created_at)`,
];

/** A narrow index to count conversations by. The one that it replaces is the beginning of `conversations_listed`. */
const COUNTED = [
  `create index conversations_counted on conversations (installation_id)`,
  `drop index conversations_by_installation`,
];

/** Tokens for scripts. An older node ignores the table and refuses the tokens. */
const SCRIPT_TOKENS = [
  `create table script_tokens (
     id text primary key, installation_id text not null references installations on delete cascade, name text not null,
     secret_hash bytea not null, created_at timestamptz not null, expires_at timestamptz not null, used_at timestamptz,
     revoked_at timestamptz)`,
  `create index script_tokens_by_installation on script_tokens (installation_id, created_at)`,
];
