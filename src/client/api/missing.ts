import { Problem } from "#protocol/errors";

/** A guide-only backend has no such call and says so in its own way. */
export function ignoreMissingRoute(error: unknown): null {
  if (error instanceof Problem && [401, 404, 405].includes(Number(error.details.http_status))) return null;
  throw error;
}

/** The same for calls behind the sign-in, where 401 has its own meaning. */
export function ignoreMissingAuthRoute(error: unknown): null {
  if (error instanceof Problem && error.details.http_status !== 401) return ignoreMissingRoute(error);
  throw error;
}
