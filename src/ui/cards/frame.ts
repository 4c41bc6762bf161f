import stringWidth from "string-width";
import { truncateCells } from "../screen/cells.ts";
import type { Style } from "../style.ts";
import { fitRow, type Row } from "./row.ts";

/** Cells of the border and one space on each side. */
export const BORDER_CELLS = 4;

/** Border of a card: a title, and texts at the right, of which the first is dropped first. */
export type CardFrame = { title: string; right: string[]; tone?: Style; width: number };

/** Draws a border around rows. Every line is exactly `width` cells wide. */
export function drawFrame({ title, right, tone, width }: CardFrame, rows: Row[]): Row[] {
  const toEdge = (text: string) => ({ text, ...(tone ? { style: tone } : {}) });
  const side = joinRightTexts(title, right, width);
  const label = truncateCells(title, getTitleRoom(side, width));
  const fill = "─".repeat(Math.max(0, width - stringWidth(`┌ ${label} ${side}┐`)));
  const content = rows.map((row) => [
    toEdge("│"),
    { text: " " },
    ...fitRow(row, width - BORDER_CELLS),
    { text: " " },
    toEdge("│"),
  ]);
  // Only lines have the tone: as text, some themes make it hard to read.
  const plain = tone === "dim" ? { style: tone } : {};
  const top: Row = [
    toEdge("┌ "),
    { text: label, style: plain.style ?? "bold" },
    toEdge(` ${fill}`),
    { text: side, ...plain },
    toEdge("┐"),
  ];
  return [top, ...content, [toEdge(`└${"─".repeat(width - 2)}┘`)]];
}

/** Whether the title fits without truncation. */
export function canShowTitle({ title, right, width }: CardFrame): boolean {
  return stringWidth(title) <= getTitleRoom(joinRightTexts(title, right, width), width);
}

/** Joins the right texts that leave the title enough room. */
function joinRightTexts(title: string, right: string[], width: number): string {
  const minRoom = Math.min(stringWidth(title), Math.max(MIN_TITLE_CELLS, Math.floor(width / 3)));
  const sides = [...right.map((_, from) => right.slice(from).join(" ─ ")), (right.at(-1) ?? "").replace(/ left$/, "")];
  const side = sides.find((text) => text !== "" && getTitleRoom(` ${text} `, width) >= minRoom);
  return side === undefined ? "" : ` ${side} `;
}

function getTitleRoom(side: string, width: number): number {
  return Math.max(0, width - stringWidth(`┌  ${side}┐`) - (side === "" ? 0 : 1));
}

const MIN_TITLE_CELLS = 9;
