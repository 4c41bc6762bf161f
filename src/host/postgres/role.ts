/** Major version of the binaries. Postgres cannot open data of another major version. */
export const MAJOR = "18";

/** Role and database of the embedded Postgres. */
export const ROLE = "kay";
