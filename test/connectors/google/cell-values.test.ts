import { expect, test } from "vitest";
import { getInputOption, toCellValues } from "#connectors/google-sheets/cells";

test("B203 B261 text is stored as approved, and only plain numbers become numbers", () => {
  const cells = [
    "007",
    "=IMPORTXML(A1)",
    "+49 30 1234",
    "1e5",
    "12",
    "-3.5",
    "0.10",
    "1/2",
    "TRUE",
    "12345678901234567890",
    "",
  ];
  expect(toCellValues([cells], {})).toEqual([
    ["007", "=IMPORTXML(A1)", "+49 30 1234", "1e5", 12, -3.5, "0.10", "1/2", "TRUE", "12345678901234567890", ""],
  ]);
  expect(getInputOption({})).toBe("RAW");
});

test("values are parsed as if typed only if formulas are requested", () => {
  expect(toCellValues([["=SUM(A1:A3)", "7"]], { formulas: true })).toEqual([["=SUM(A1:A3)", "7"]]);
  expect(getInputOption({ formulas: true })).toBe("USER_ENTERED");
});
