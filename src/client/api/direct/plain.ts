import type { AskRequest } from "#protocol/ask";

/** Context and bounds are the backend's to carry out; it streams those requests itself. */
export function isStreamableDirectly(request: AskRequest): boolean {
  const { context, confirm, output_schema, max_steps, dry_run, allow } = request;
  const more = [output_schema, max_steps, allow].some((each) => each !== undefined);
  return !more && !confirm && !dry_run && Object.keys(context ?? {}).length === 0;
}
