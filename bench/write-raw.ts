import { pieces } from "./pieces.ts";

// The minimum cost of streaming: pieces written to the terminal unchanged.
const count = Number(process.argv[2]);
for (let index = 0; index < count; index += 1) process.stdout.write(pieces(index));
process.stdout.write("\x07");
// Its cost is read while it is running.
setTimeout(() => {}, 60_000);
