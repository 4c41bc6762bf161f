import type { Api } from "#client/api/api";
import type { Credentials } from "#client/credentials/credentials";
import type { CompletionCache } from "../completion/cache.ts";

/** An open backend, with its calls and credentials. */
export type BackendHandle = {
  /** The origin that tokens are bound to; `embedded` for the local backend. */
  origin: string;
  baseUrl: string;
  embedded: boolean;
  /** KAY_TOKEN is used instead of the stored sign-in. */
  usesEnvironmentToken: boolean;
  api: Api;
  credentials: Credentials;
};

/** The backend of this run and its stored sign-in. Nothing is started or requested yet. */
export type BackendTarget = {
  origin: string;
  baseUrl?: string;
  embedded: boolean;
  credentials: Credentials;
  completions: CompletionCache;
};
