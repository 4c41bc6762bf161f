import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

/**
 * The least that a question can cost: a prompt is stored and ten parts are streamed, in two statements, with
 * `node:http` and `pg` alone. `BENCH_DATABASE` says how to connect. Prints its address.
 */
const pool = new pg.Pool({ ...JSON.parse(process.env.BENCH_DATABASE ?? "{}"), max: 10 });
await pool.query(`create table if not exists floor_conversations (id text primary key, last int);
  create table if not exists floor_events (id text, number int, part jsonb, at timestamptz, primary key (id, number))`);

const APPEND = {
  name: "append",
  text: `with c as (insert into floor_conversations values ($1, $2)
      on conflict (id) do update set last = floor_conversations.last + $2 returning last),
    a as (insert into floor_events select $1, last - $2::int + n, part, now()
      from c, jsonb_array_elements($3::jsonb) with ordinality as parts (part, n))
    select last from c`,
};
const text = Array.from({ length: 7 }, (_, index) => ({ type: "text-delta", delta: "word ".repeat(index + 3) }));

let asked = 0;
const server = createServer(async (request, answer) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { prompt } = JSON.parse(body);
  const id = `floor-${process.pid}-${++asked}`;
  answer.writeHead(200, { "content-type": "text/event-stream", "kay-session-id": id });
  const begin = [{ type: "data-user-message", text: prompt }, { type: "start" }, { type: "status" }];
  for (const parts of [begin, text]) {
    const { rows } = await pool.query({ ...APPEND, values: [id, parts.length, JSON.stringify(parts)] });
    const first = rows[0].last - parts.length + 1;
    answer.write(parts.map((part, index) => `id: ${first + index}\ndata: ${JSON.stringify(part)}\n\n`).join(""));
  }
  answer.end("data: [DONE]\n\n");
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` }, null, 2)}\n`);
});
