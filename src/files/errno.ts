/** Returns the code of a system error (`ENOENT`) or the SQLSTATE of a Postgres error; "unknown" for any other value. */
export function getErrno(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code !== "" ? code : "unknown";
}
