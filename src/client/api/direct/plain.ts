import type { AskRequest } from "#protocol/ask";

/** Context, bounds and a place in a queue are the backend's to carry out; it streams those requests itself. */
export function isPlain(request: AskRequest): boolean {
  const { context, confirm, when_busy, output_schema, max_steps, dry_run, allow } = request;
  const more = [output_schema, max_steps, allow].some((each) => each !== undefined);
  return !more && !confirm && !dry_run && when_busy !== "queue" && Object.keys(context ?? {}).length === 0;
}
