/** How the text of a cell is stored. */
type CellInput = { formulas?: boolean | undefined };

/**
 * Returns Google's `valueInputOption`. RAW keeps `007` and stores `=IMPORTXML(…)` as text, so that no text from elsewhere runs.
 * Source: https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueInputOption
 */
export function getInputOption({ formulas }: CellInput): "RAW" | "USER_ENTERED" {
  return formulas ? "USER_ENTERED" : "RAW";
}

/** Converts the texts of cells to values. Without formulas, only a number that reads back the same becomes a number. */
export function toCellValues(rows: string[][], { formulas }: CellInput): (string | number)[][] {
  return formulas ? rows : rows.map((row) => row.map(toCellValue));
}

function toCellValue(text: string): string | number {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}
