import { type JsonRecord, toRecord } from "#protocol/json";
import { ApiError } from "../api.ts";
import { invalidError } from "./errors.ts";
import type { DriveFile } from "./state.ts";

/** Applies one kind of request to a file, and returns its reply. @throws ApiError that does not name the request */
export type FileChange = (file: DriveFile, request: JsonRecord) => JsonRecord;

/**
 * Applies the requests of a `batchUpdate` in Docs or Sheets: all or none.
 * @throws ApiError "Invalid requests[0].insertText: …"
 */
export function applyRequests(file: DriveFile, requests: unknown[], changes: Record<string, FileChange>): JsonRecord[] {
  if (requests.length === 0) throw invalidError("Must specify at least one request.");
  const draft = structuredClone(file);
  const replies = requests.map((request, index) => {
    const [name = "", body] = Object.entries(toRecord(request))[0] ?? [];
    const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
    if (!change) throw invalidError(`Invalid requests[${index}]: No request set.`);
    return withPlace(`requests[${index}].${name}`, () => change(draft, toRecord(body)));
  });
  Object.assign(file, draft);
  return replies;
}

/** Runs a part of a batch. Its errors name the part. */
export function withPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ApiError ? invalidError(`Invalid ${place}: ${error.message}`) : error;
  }
}
