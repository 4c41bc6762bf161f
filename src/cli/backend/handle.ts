import type { Api } from "#client/api/api";
import type { Credentials } from "#client/credentials/credentials";
import type { CompletionCache } from "../completion/cache.ts";

/** A backend that was found or started, and everything to speak to it with. */
export type BackendHandle = {
  /** What tokens are bound to: the origin of a remote backend, `embedded` for the one kay starts for itself. */
  origin: string;
  baseUrl: string;
  embedded: boolean;
  /** KAY_TOKEN speaks here, and what is stored is not used. */
  usesEnvironmentToken: boolean;
  api: Api;
  credentials: Credentials;
};

/** Where the backend of this run is, and the sign-in stored for it; nothing is started or asked yet. */
export type BackendTarget = {
  origin: string;
  baseUrl?: string;
  embedded: boolean;
  credentials: Credentials;
  known: CompletionCache;
};
