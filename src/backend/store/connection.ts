import type { Kysely, Transaction } from "kysely";
import type { Database } from "./schema.ts";

/** Where a query runs: on its own, or inside a transaction. */
export type DbConnection = Kysely<Database> | Transaction<Database>;
