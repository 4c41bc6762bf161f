import { expect, test } from "vitest";
import { formatQr } from "#cli/consent/qr";

const LINK =
  "https://auth.example.com/authorize?client_id=kay&redirect_uri=https%3A%2F%2Fkay.example.com%2Fauth%2Fcallback";
const createWindow = (columns: number, rows: number) => ({ columns: () => columns, rows: () => rows });

test("N3 a QR code is shown only where a window has room for all of it", async () => {
  const code = await formatQr(LINK, createWindow(200, 60));
  const rows = code.split("\n");
  const width = rows[0]?.length ?? 0;
  expect(code).toMatch(/^[█▀▄ \n]+$/);
  expect(await formatQr(LINK, createWindow(width, rows.length))).toBe(code);
  const room = `The QR code needs a window of ${width} columns and ${rows.length} rows. Make it larger and press q again.`;
  expect(await formatQr(LINK, createWindow(width - 1, rows.length))).toBe(room);
  expect(await formatQr(LINK, createWindow(width, rows.length - 1))).toBe(room);
});

test.each([
  ["the link", "http://127.0.0.1:4040/oauth/authorize"],
  ["its way back", "https://auth.example.com/authorize?redirect_uri=http%3A%2F%2Flocalhost%3A4040%2Fauth%2Fcallback"],
])("N3 there is no QR code if %s leads to this machine", async (_, url) => {
  expect(await formatQr(url, createWindow(200, 60))).toBe(
    "A phone cannot use this link: it leads back to this machine. Press c to copy it instead.",
  );
});
