import type { Api } from "#client/api/api";
import type { Credentials } from "#client/credentials/credentials";
import type { CompletionCache } from "../completion/cache.ts";

/** A backend that was found or started, and the means to talk to it. */
export type BackendHandle = {
  /** What tokens are bound to: the origin of a remote backend, or `embedded` for the local one. */
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
