import { type Formula, FormulaError } from "./formula-parse.ts";

/** Values of a formula: text, number, boolean, or empty. */
export type Scalar = string | number | boolean | null;

/** Reads a record for a formula. `field` throws if the name is unknown. */
export type FormulaScope = { field(name: string): Scalar; id: string; now: number };

/** Evaluates a formula for a record. @throws FormulaError for a function that the sandbox does not support */
export function evaluateFormula(formula: Formula, scope: FormulaScope): Scalar {
  switch (formula.kind) {
    case "value":
      return formula.value;
    case "field":
      return scope.field(formula.name);
    case "operator":
      return operate(formula.operator, evaluateFormula(formula.left, scope), evaluateFormula(formula.right, scope));
    default:
      return callFunction(formula.name, formula.inputs, scope);
  }
}

/** Whether a value counts as true: all but an empty value, empty text, zero and false. */
export function isTruthy(value: Scalar): boolean {
  return value !== null && value !== "" && value !== 0 && value !== false;
}

function operate(operator: string, left: Scalar, right: Scalar): Scalar {
  switch (operator) {
    case "&":
      return toText(left) + toText(right);
    case "=":
      return isSame(left, right);
    case "!=":
      return !isSame(left, right);
    case "<":
      return order(left, right) < 0;
    case ">":
      return order(left, right) > 0;
    case "<=":
      return order(left, right) <= 0;
    case ">=":
      return order(left, right) >= 0;
    case "+":
      return toNumber(left) + toNumber(right);
    case "-":
      return toNumber(left) - toNumber(right);
    case "*":
      return toNumber(left) * toNumber(right);
    default:
      return toNumber(left) / toNumber(right);
  }
}

function callFunction(name: string, inputs: Formula[], scope: FormulaScope): Scalar {
  const evaluateInput = (index: number): Scalar => {
    const input = inputs[index];
    return input === undefined ? null : evaluateFormula(input, scope);
  };
  const implementation = FUNCTIONS[name];
  if (!implementation) throw new FormulaError(`the function ${name} is not known`);
  return implementation({
    value: evaluateInput,
    all: () => inputs.map((argument) => evaluateFormula(argument, scope)),
    scope,
  });
}

type Inputs = { value(index: number): Scalar; all(): Scalar[]; scope: FormulaScope };

const FUNCTIONS: Record<string, ((inputs: Inputs) => Scalar) | undefined> = {
  AND: ({ all }) => all().every(isTruthy),
  OR: ({ all }) => all().some(isTruthy),
  NOT: ({ value }) => !isTruthy(value(0)),
  IF: ({ value }) => (isTruthy(value(0)) ? value(1) : value(2)),
  TRUE: () => true,
  FALSE: () => false,
  BLANK: () => null,
  RECORD_ID: ({ scope }) => scope.id,
  LOWER: ({ value }) => toText(value(0)).toLowerCase(),
  UPPER: ({ value }) => toText(value(0)).toUpperCase(),
  TRIM: ({ value }) => toText(value(0)).trim(),
  LEN: ({ value }) => toText(value(0)).length,
  CONCATENATE: ({ all }) => all().map(toText).join(""),
  FIND: ({ value }) => toText(value(1)).indexOf(toText(value(0))) + 1,
  SEARCH: ({ value }) =>
    toText(value(1))
      .toLowerCase()
      .indexOf(toText(value(0)).toLowerCase()) + 1 || null,
  VALUE: ({ value }) => toNumber(value(0)),
  TODAY: ({ scope }) => formatDay(scope.now),
  NOW: ({ scope }) => new Date(scope.now).toISOString(),
  DATETIME_FORMAT: ({ value }) => toText(value(0)).slice(0, 10),
  IS_BEFORE: ({ value }) => order(value(0), value(1)) < 0 && value(0) !== null,
  IS_AFTER: ({ value }) => order(value(0), value(1)) > 0,
  IS_SAME: ({ value }) => toText(value(0)).slice(0, 10) === toText(value(1)).slice(0, 10),
};

function formatDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

function isSame(left: Scalar, right: Scalar): boolean {
  if (typeof left === "boolean" || typeof right === "boolean") return isTruthy(left) === isTruthy(right);
  if (typeof left === "number" && typeof right === "number") return left === right;
  return toText(left) === toText(right);
}

function order(left: Scalar, right: Scalar): number {
  if (typeof left === "number" || typeof right === "number") return toNumber(left) - toNumber(right);
  return toText(left).localeCompare(toText(right), "en");
}

function toText(value: Scalar): string {
  return value === null ? "" : value === true ? "1" : value === false ? "0" : String(value);
}

function toNumber(value: Scalar): number {
  return Number(value ?? 0);
}
