import { invalidError } from "../errors.ts";
import type { DriveFile } from "../state.ts";

const KEYS: Record<string, (file: DriveFile) => string | number> = {
  createdTime: (file) => file.createdTime,
  modifiedTime: (file) => file.modifiedTime,
  viewedByMeTime: (file) => file.modifiedTime,
  name: (file) => file.name,
  name_natural: (file) => file.name,
  quotaBytesUsed: (file) => Number(file.size ?? 0),
};

/** Returns the order of `orderBy`, such as `modifiedTime desc`. @throws GoogleRefusal for a key that Drive does not know */
export function createDriveOrder(orderBy: string): (a: DriveFile, b: DriveFile) => number {
  const [name = "", direction = "asc"] = (orderBy.trim() || "modifiedTime desc").split(/\s+/);
  const key = KEYS[name];
  if (!key) throw invalidError(`Invalid Value: orderBy ${name}`);
  const sign = direction === "desc" ? -1 : 1;
  return (a, b) => {
    const [first, second] = [key(a), key(b)];
    const order =
      typeof first === "number" ? first - Number(second) : first.localeCompare(String(second), "en", { numeric: true });
    return sign * order;
  };
}
