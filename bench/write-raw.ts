import { pieces } from "./pieces.ts";

// What streaming costs at least: so many pieces, each written to the terminal as it is.
const count = Number(process.argv[2]);
for (let index = 0; index < count; index += 1) process.stdout.write(pieces(index));
process.stdout.write("\x07");
// What it cost is read while it is there.
setTimeout(() => {}, 60_000);
