import * as z from "zod/mini";
import { Connection, ConnectionsResponse, DisconnectResponse, LogoutResponse } from "#protocol/connections";
import { ScriptTokenView } from "#protocol/script-tokens";

/** One service, and the account it is connected as. */
const Service = z.extend(Connection, { service: z.string() });

/** What `kay connect` prints: the service, a list of several, or the link with `--no-wait`. */
export const Connect = z.union([
  Service,
  z.looseObject({ connected: z.array(Service) }),
  z.looseObject({
    service: z.string(),
    session_id: z.string(),
    /** Link to open in a browser. */
    authorization_url: z.string(),
    state: z.string(),
    /** Code that the page behind the link shows too, for the user to compare. Only shared backends have one. */
    user_code: z.optional(z.string()),
    /** When the link expires, ISO 8601. */
    expires_at: z.string(),
    /** The command that finishes the connection. */
    poll: z.string(),
  }),
]);

/** What `kay connections` prints: every service, or one with `--check`. */
export const Connections = z.union([ConnectionsResponse, Service]);

/** What `kay services list --known` prints. */
export const KnownServices = z.looseObject({
  known: z.array(
    z.looseObject({
      name: z.string(),
      title: z.string(),
      purpose: z.string(),
      url: z.string(),
      transport: z.enum(["http", "sse"]),
      /** How kay becomes a client, according to the vendor's documentation. */
      client: z.enum(["automatic", "client-id", "key", "none"]),
      docs: z.string(),
      /** The page that documents the address, and the day it was checked. */
      source: z.string(),
      checked: z.string(),
      note: z.optional(z.string()),
    }),
  ),
});

/** What `kay disconnect` prints: the service, or a list of several. */
export const Disconnect = z.union([DisconnectResponse, z.looseObject({ disconnected: z.array(DisconnectResponse) })]);

/** What `kay whoami` prints. */
export const Whoami = z.looseObject({
  profile: z.string(),
  /** Origin of the backend, or `embedded` for the local one. */
  backend: z.string(),
  /** The installation; absent with KAY_TOKEN. */
  session_id: z.optional(z.string()),
  account_id: z.optional(z.string()),
  /** The script token in KAY_TOKEN, without its secret. */
  script_token: z.optional(ScriptTokenView),
  /** By the name of the connected service. */
  accounts: z.record(z.string(), z.pick(Connection, { user: true, metadata: true })),
});

/** What `kay logout` prints. */
export const Logout = z.looseObject({
  signed_out: z.boolean(),
  /** Whether the backend was notified. */
  revoked: z.boolean(),
  /** The result of the revocation at each service. */
  revocations: LogoutResponse.shape.revocations,
  message: z.optional(z.string()),
});

/** What `kay token revoke` prints: the revoked token. */
export const RevokedToken = z.looseObject({ revoked: ScriptTokenView });
