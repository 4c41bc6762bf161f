import { expect, test } from "vitest";
import { connectService, sandboxServices } from "../support/sandbox.ts";

const DOCUMENT = "1TargetDocument00000000000000000001";
const GONE = "1ShortcutToNothing0000000000000001";
const seed = {
  google: {
    accounts: [
      { id: "1", name: "Ann", email: "ann@example.com" },
      { id: "2", name: "Bob", email: "bob@example.com" },
    ],
    files: [
      {
        id: DOCUMENT,
        name: "Plan 2026",
        owner: "Bob",
        text: "Ship it",
        permissions: [{ role: "writer", emailAddress: "ann@example.com" }],
        modifiedTime: "-5d",
      },
      {
        name: "Plan",
        owner: "Ann",
        shortcutDetails: { targetId: DOCUMENT, targetMimeType: "application/vnd.google-apps.document" },
        modifiedTime: "-2d",
      },
      {
        name: "Plan 2026",
        owner: "Ann",
        shortcutDetails: { targetId: DOCUMENT, targetMimeType: "application/vnd.google-apps.document" },
        modifiedTime: "-3d",
      },
      {
        id: GONE,
        name: "Lost",
        owner: "Ann",
        shortcutDetails: { targetId: "nothing", targetMimeType: "application/vnd.google-apps.document" },
        modifiedTime: "-9d",
      },
      { name: "Album", owner: "Ann", modifiedTime: "-1d" },
    ],
  },
};

test("B225 a shortcut leads to its document, by name and by ID", async () => {
  const world = sandboxServices(seed);
  const docs = await connectService(world, "google-docs");
  expect((await docs.run("google-docs.read_document", { document: "Plan" })).data).toMatchObject({
    id: DOCUMENT,
    text: "Ship it",
  });
  // A shortcut and its target of the same name are one document.
  await docs.run("google-docs.append_text", { document: "Plan 2026", text: "and rest" });
  expect((await docs.run("google-docs.read_document", { document: DOCUMENT })).data).toMatchObject({
    text: "Ship it\n\nand rest",
  });
  await expect(docs.run("google-docs.read_document", { document: GONE })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "The shortcut “Lost” leads to a file that this account cannot open.",
  });
});

test("B225 a search shows a shortcut's target, and the trash takes only the shortcut", async () => {
  const world = sandboxServices(seed);
  const drive = await connectService(world, "google-drive");
  const { data, text } = await drive.run("google-drive.search", { text: "Plan", order: "oldest" });
  expect(data).toMatchObject({
    files: [
      { id: DOCUMENT, kind: "document" },
      { name: "Plan 2026", kind: "shortcut to document", target: DOCUMENT },
      { name: "Plan", kind: "shortcut to document", target: DOCUMENT },
    ],
  });
  expect(text).toContain("3 files about “Plan”, ordered by change, oldest first:");
  expect((await drive.run("google-drive.get_file", { file: "Plan" })).data).toMatchObject({ id: DOCUMENT });
  await expect(drive.run("google-drive.trash_file", { file: "Plan 2026" })).rejects.toMatchObject({
    message: expect.stringContaining("Several files match “Plan 2026”"),
  });
  await drive.run("google-drive.trash_file", { file: "Plan" });
  expect((await drive.run("google-drive.get_file", { file: DOCUMENT })).data).toMatchObject({ name: "Plan 2026" });
});

test("Drive is searched by owner, sharing, date and order", async () => {
  const drive = await connectService(sandboxServices(seed), "google-drive");
  const names = async (input: Record<string, unknown>) => {
    const { data } = await drive.run("google-drive.search", input);
    return (data as { files: { name: string }[] }).files.map(({ name }) => name);
  };
  expect(await names({ owner: "me" })).toEqual(["Album", "Plan", "Plan 2026", "Lost"]);
  expect(await names({ owner: "bob@example.com" })).toEqual(["Plan 2026"]);
  expect(await names({ sharedWithMe: true })).toEqual(["Plan 2026"]);
  expect(await names({ order: "name" })).toEqual(["Album", "Lost", "Plan", "Plan 2026", "Plan 2026"]);
  expect(await names({ changedSince: "2026-11-25" })).toEqual(["Album", "Plan"]);
  expect(await names({ owner: "bob", sharedWithMe: true })).toEqual(["Plan 2026"]);
  await expect(names({ owner: "Carol" })).rejects.toThrow("Carol");
  await expect(names({ changedSince: "soon" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});
