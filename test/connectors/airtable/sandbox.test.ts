import { expect, test } from "vitest";
import { connectService, sandboxServices } from "../support/sandbox.ts";

const airtable = () => connectService(sandboxServices(), "airtable");

test("Airtable in the sandbox: the account, its bases and their content", async () => {
  const { identity, run } = await airtable();
  expect(identity).toEqual({
    accountId: "usr0d4a7e526f0b4c",
    user: { account_id: "usr0d4a7e526f0b4c", email: "dana@example.com" },
    metadata: { url: "http://127.0.0.1:4016" },
  });
  expect((await run("airtable.list_bases", {})).text).toMatch(
    /^2 bases:\n\n[\s\S]*\| Kay Launch \| create \| http:\/\/127\.0\.0\.1:4016\/app\w{14} \|/,
  );
  const described = await run("airtable.describe_base", { base: "kay launch" });
  expect(described.text).toMatch(/^Kay Launch has 2 tables\.\n\n\*\*Tasks\*\*\n\n\| Field \| Type \| Choices \|/);
  expect(described.text).toContain("| Status | singleSelect | Todo, In progress, Done |");
  await expect(run("airtable.describe_base", {})).rejects.toMatchObject({
    message: "Airtable has several bases.",
    hint: "Specify the base. Available: Kay Launch, Contacts.",
  });
});

test("Airtable in the sandbox: records are listed by value, by text, by formula and in order", async () => {
  const { run } = await airtable();
  const names = async (input: Record<string, unknown>) =>
    (
      (await run("airtable.list_records", { table: "Tasks", ...input })).data as { records: { Name: string }[] }
    ).records.map(({ Name }) => Name);
  expect(
    (await run("airtable.list_records", { table: "tasks", field: "status", value: "todo", sort: "-Hours" })).text,
  ).toBe(
    [
      "2 records in Tasks (Kay Launch):\n",
      "| Name | Status | Owner | Due | Hours | Blocked |",
      "| --- | --- | --- | --- | --- | --- |",
      "| Record the demo | Todo | Sam Sample | 2026-12-02 | 6 |  |",
      "| Press list | Todo |  |  | 2 | yes |",
    ].join("\n"),
  );
  expect(await names({ field: "Blocked", value: "no" })).toHaveLength(3);
  expect(await names({ field: "Owner", value: "dana demo" })).toEqual(["Write the announcement", "Book the domain"]);
  expect(await names({ field: "Channels", value: "Blog" })).toEqual(["Write the announcement"]);
  expect(await names({ field: "Due", value: "empty" })).toEqual(["Press list"]);
  expect(await names({ field: "Hours", value: "6" })).toEqual(["Record the demo"]);
  expect(await names({ field: "Due", value: "2026-11-30" })).toEqual(["Write the announcement"]);
  expect(await names({ text: "announcement" })).toEqual(["Write the announcement", "Press list"]);
  expect(await names({ formula: 'AND({Hours} > 1, NOT({Status} = "Done"))' })).toHaveLength(3);
  expect(await names({ formula: 'IF({Hours} >= 6, "yes")', limit: 1 })).toEqual(["Record the demo"]);
  await expect(names({ formula: "{Nothing} = 1" })).rejects.toMatchObject({
    message: "Airtable: The formula for filtering records is invalid: unknown field names: nothing.",
  });
  await expect(names({ field: "Status", value: "Finished" })).rejects.toMatchObject({
    hint: "Available: Todo, In progress, Done.",
  });
});

test("Airtable in the sandbox: a record is added, read, changed and deleted", async () => {
  const { run } = await airtable();
  const fields = {
    status: "todo",
    Owner: "sam@example.com",
    Due: "2026-12-24",
    Hours: "1.5",
    blocked: "yes",
    channels: "blog, video",
  };
  const created = await run("airtable.create_record", { table: "Tasks", name: 'Say "thanks"', fields });
  expect(created.text).toMatch(
    /^Added “Say "thanks"” to Tasks \(Kay Launch\)\.\n\nhttp:\/\/127\.0\.0\.1:4016\/app\w{14}\/tbl\w{14}\/rec\w{14}$/,
  );
  const record = await run("airtable.get_record", { table: "Tasks", record: 'say "thanks"' });
  expect(record.text).toContain(
    "- Status: Todo\n- Owner: Sam Sample\n- Due: 2026-12-24\n- Hours: 1.5\n- Blocked: yes\n- Channels: Blog, Video",
  );
  expect((await run("airtable.get_record", { table: "Tasks", record: created.url ?? "" })).data).toEqual(record.data);
  const set = await run("airtable.update_record", {
    table: "Tasks",
    record: 'Say "thanks"',
    field: "status",
    value: "done",
  });
  expect(set.data).toMatchObject({ field: "Status", before: "Todo", value: "Done" });
  const cleared = await run("airtable.update_record", {
    table: "Tasks",
    record: 'Say "thanks"',
    field: "Due",
    value: "",
  });
  expect(cleared.text).toMatch(/^Cleared Due: “Say "thanks"”\./);
  expect((await run("airtable.delete_record", { table: "Tasks", record: 'Say "thanks"' })).text).toBe(
    'Deleted “Say "thanks"” from Tasks (Kay Launch).',
  );
  await expect(run("airtable.get_record", { table: "Tasks", record: 'Say "thanks"' })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: 'No record in Tasks is called “Say "thanks"”.',
  });
});

test("Airtable in the sandbox: an invalid value is refused before anything is written", async () => {
  const world = sandboxServices();
  const { run } = await connectService(world, "airtable");
  const create = (fields: Record<string, unknown>) =>
    run("airtable.create_record", { table: "Tasks", name: "x", fields });
  await expect(create({ Status: "Maybe" })).rejects.toMatchObject({ message: "“Maybe” is not a choice of Status." });
  await expect(create({ Hours: "many" })).rejects.toMatchObject({
    message: "Invalid value for the field Hours: “many” is not a number.",
  });
  await expect(create({ Created: "2026-01-01" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(create({ Colour: "red" })).rejects.toMatchObject({ message: "The table Tasks has no field “Colour”." });
  expect((await run("airtable.list_records", { table: "Tasks" })).text).toMatch(/^4 records/);
});
