import { openDatabase } from "#backend/store/database";

/** A process that opens a database and closes it again. Run as `node database-process.ts <connection data as JSON>`. */
const database = await openDatabase(JSON.parse(process.argv[2] ?? ""), { log: () => undefined });
await database.close();
