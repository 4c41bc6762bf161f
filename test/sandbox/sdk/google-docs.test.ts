import { docs } from "@googleapis/docs";
import { expect, test } from "vitest";
import { options } from "./google-client.ts";
import { catchFailure } from "./served.ts";

async function createClient(scope = "documents") {
  const { client: _, ...rest } = await options(scope);
  return docs({ version: "v1", ...rest }).documents;
}

/** A paragraph of a document as the API tells it. */
function paragraph(startIndex: number, text: string, style = "NORMAL_TEXT", bullet = false) {
  const endIndex = startIndex + text.length + 1;
  const elements = [{ startIndex, endIndex, textRun: { content: `${text}\n`, textStyle: {} } }];
  const paragraphStyle = { namedStyleType: style, direction: "LEFT_TO_RIGHT" };
  const list = bullet ? { bullet: { listId: "kix.list1", textStyle: {} } } : {};
  return { startIndex, endIndex, paragraph: { elements, paragraphStyle, ...list } };
}

const SECTION = {
  endIndex: 1,
  sectionBreak: {
    sectionStyle: {
      columnSeparatorStyle: "NONE",
      contentDirection: "LEFT_TO_RIGHT",
      sectionType: "CONTINUOUS",
    },
  },
};

test("@googleapis/docs creates a document, writes into it, styles it and removes text", async () => {
  const documents = await createClient();
  const document = (await documents.create({ requestBody: { title: "Colours" } })).data;
  expect(document).toEqual({
    documentId: expect.any(String),
    title: "Colours",
    revisionId: expect.any(String),
    suggestionsViewMode: "SUGGESTIONS_INLINE",
    body: { content: [SECTION, paragraph(1, "")] },
  });
  const documentId = document.documentId ?? "";
  const range = (startIndex: number, endIndex: number) => ({ range: { startIndex, endIndex } });
  const requests = [
    { insertText: { location: { index: 1 }, text: "Colours\nblue and blue" } },
    { insertText: { endOfSegmentLocation: {}, text: "\ngreen" } },
    { replaceAllText: { containsText: { text: "BLUE" }, replaceText: "red" } },
    { replaceAllText: { containsText: { text: "BLUE", matchCase: true }, replaceText: "no" } },
    {
      updateParagraphStyle: {
        ...range(1, 3),
        paragraphStyle: { namedStyleType: "HEADING_1" },
        fields: "namedStyleType",
      },
    },
    { createParagraphBullets: { ...range(10, 22), bulletPreset: "BULLET_DISC_CIRCLE_SQUARE" } },
    { deleteContentRange: range(12, 20) },
  ];
  const result = (await documents.batchUpdate({ documentId, requestBody: { requests } })).data;
  expect(result).toEqual({
    documentId,
    replies: [{}, {}, { replaceAllText: { occurrencesChanged: 2 } }, { replaceAllText: {} }, {}, {}, {}],
    writeControl: { requiredRevisionId: expect.any(String) },
  });
  const content = [
    SECTION,
    paragraph(1, "Colours", "HEADING_1"),
    paragraph(9, "red", "NORMAL_TEXT", true),
    paragraph(13, "green", "NORMAL_TEXT", true),
  ];
  const { data } = await documents.get({ documentId });
  expect({ ...data, lists: Object.keys(data.lists ?? {}) }).toEqual({
    documentId,
    title: "Colours",
    revisionId: result.writeControl?.requiredRevisionId,
    suggestionsViewMode: "SUGGESTIONS_INLINE",
    body: { content },
    lists: ["kix.list1"],
  });
  const tabs = (await documents.get({ documentId, includeTabsContent: true, fields: "tabs" })).data;
  expect(tabs).toMatchObject({
    tabs: [{ tabProperties: { tabId: "t.0", index: 0 }, documentTab: { body: { content } } }],
  });
});

test("@googleapis/docs changes nothing when one request of many is wrong, or the document is another revision", async () => {
  const documents = await createClient();
  const { documentId: id, revisionId } = (await documents.create({ requestBody: { title: "Colours" } })).data;
  const documentId = id ?? "";
  const send = (requests: object[], requiredRevisionId?: string | null) =>
    documents.batchUpdate({ documentId, requestBody: { requests, writeControl: { requiredRevisionId } } });
  const insert = (index: number) => ({ insertText: { location: { index }, text: "Blue" } });
  const createRefusal = (message: string) => ({
    status: 400,
    message,
    response: { data: { error: { status: "INVALID_ARGUMENT" } } },
  });
  expect(await catchFailure(send([insert(1), insert(9)]))).toMatchObject(
    createRefusal(
      "Invalid requests[1].insertText: Index 9 must be less than the end index of the referenced segment, 6.",
    ),
  );
  expect(await catchFailure(send([{ deleteContentRange: { range: { startIndex: 1, endIndex: 2 } } }]))).toMatchObject(
    createRefusal(
      "Invalid requests[0].deleteContentRange: The range cannot include the newline character at the end of the segment.",
    ),
  );
  expect(await catchFailure(send([]))).toMatchObject(createRefusal("Must specify at least one request."));
  expect((await documents.get({ documentId })).data.revisionId).toBe(revisionId);
  const { data } = await send([insert(1)], revisionId);
  expect(data.writeControl?.requiredRevisionId).not.toBe(revisionId);
  expect(await catchFailure(send([insert(1)], revisionId))).toMatchObject(
    createRefusal(`The required revision ID '${revisionId}' does not match the latest revision.`),
  );
});

test("@googleapis/docs reports a missing document and a missing scope", async () => {
  expect(await catchFailure((await createClient()).get({ documentId: "nothing" }))).toMatchObject({
    status: 404,
    message: "Requested entity was not found.",
  });
  const reader = await createClient("documents.readonly");
  expect(await catchFailure(reader.create({ requestBody: { title: "x" } }))).toMatchObject({
    status: 403,
    message: "Request had insufficient authentication scopes.",
  });
});
