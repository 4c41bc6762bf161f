/**
 * The part of D-Bus marshalling needed to read a secret (D-Bus Specification: "Type System", "Message Protocol"): calls
 * with strings, object paths, string variants and string dictionaries; answers of any type.
 */

/** A value of an answer: arrays and structures are arrays, a variant is its content, bytes are a Buffer. */
export type DbusValue = string | number | boolean | bigint | Buffer | DbusValue[];

/** An argument with its D-Bus signature. */
export type DbusArgument =
  | { kind: "s" | "o"; value: string }
  | { kind: "v"; value: string }
  | { kind: "a{ss}"; value: Record<string, string> };

/** A method call; `of` is the interface. */
export type DbusCall = { to: string; path: string; of: string; method: string; args?: DbusArgument[] };

/** A received message: `error` is the name of an error answer, `body` the values of any other. */
export type DbusMessage = { type: number; replyTo: number; error: string; body: DbusValue[] };

/** Returns the length of the first message in the buffer, or 0 if its header is incomplete. */
export function readMessageSize(bytes: Buffer): number {
  if (bytes.length < 16) return 0;
  const read = (offset: number) => (isLittleEndian(bytes) ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset));
  const size = align(16 + read(12), 8) + read(4);
  if (size > 1 << 20) throw new RangeError("message too long");
  return size;
}

/** Encodes a method call. */
export function encodeCall(serial: number, { to, path, of, method, args = [] }: DbusCall): Buffer {
  const fields: [number, string, string][] = [
    [1, "o", path],
    [2, "s", of],
    [3, "s", method],
    [6, "s", to],
  ];
  if (args.length) fields.push([8, "g", args.map(({ kind }) => kind).join("")]);
  let header: Buffer = Buffer.alloc(0);
  for (const [code, kind, value] of fields) {
    const head = Buffer.from([code, 1, kind.charCodeAt(0), 0]);
    header = Buffer.concat([pad(header, 8), head, kind === "g" ? encodeSignature(value) : encodeString(value)]);
  }
  let body: Buffer = Buffer.alloc(0);
  for (const argument of args) body = writeArgument(body, argument);
  const start = Buffer.concat([
    Buffer.from([0x6c, 1, 0, 1]),
    encodeUint(body.length),
    encodeUint(serial),
    encodeUint(header.length),
  ]);
  return Buffer.concat([pad(Buffer.concat([start, header]), 8), body]);
}

/** Decodes one complete message. */
export function decodeMessage(bytes: Buffer): DbusMessage {
  const reader = { bytes, at: 12, little: isLittleEndian(bytes) };
  const message: DbusMessage = { type: bytes.readUInt8(1), replyTo: 0, error: "", body: [] };
  let kinds = "";
  for (const field of toArray(readValue(reader, "a(yv)"))) {
    const [code, value] = toArray(field);
    if (code === 4) message.error = String(value);
    if (code === 5) message.replyTo = Number(value);
    if (code === 8) kinds = String(value);
  }
  reader.at = align(reader.at, 8);
  message.body = splitTypes(kinds).map((kind) => readValue(reader, kind));
  return message;
}

/** Returns an array value, or an empty array for any other value. */
export function toArray(value: DbusValue | undefined): DbusValue[] {
  return Array.isArray(value) ? value : [];
}

type Reader = { bytes: Buffer; at: number; little: boolean };

function readValue(reader: Reader, kind: string): DbusValue {
  const { bytes } = reader;
  reader.at = align(reader.at, ALIGNMENT[kind.charAt(0)] ?? 1);
  switch (kind.charAt(0)) {
    case "y":
      return bytes.readUInt8(reader.at++);
    case "g": {
      const length = bytes.readUInt8(reader.at++);
      return takeBytes(reader, length + 1).toString("latin1", 0, length);
    }
    case "v":
      return readValue(reader, String(readValue(reader, "g")));
    case "s":
    case "o": {
      const length = readUint(reader);
      return takeBytes(reader, length + 1).toString("utf8", 0, length);
    }
    case "a":
      return readArray(reader, kind.slice(1));
    case "(":
    case "{":
      return splitTypes(kind.slice(1, -1)).map((type) => readValue(reader, type));
    case "b":
      return readUint(reader) === 1;
    case "u":
    case "i":
    case "h":
      return readUint(reader);
    case "t":
    case "x":
    case "d": {
      const eight = takeBytes(reader, 8);
      return reader.little ? eight.readBigUInt64LE() : eight.readBigUInt64BE();
    }
    default:
      return takeBytes(reader, 2).readUInt16LE();
  }
}

function readArray(reader: Reader, kind: string): DbusValue {
  const length = readUint(reader);
  reader.at = align(reader.at, ALIGNMENT[kind.charAt(0)] ?? 1);
  if (kind === "y") return takeBytes(reader, length);
  const end = reader.at + length;
  const values: DbusValue[] = [];
  while (reader.at < end) values.push(readValue(reader, kind));
  return values;
}

function readUint(reader: Reader): number {
  const four = takeBytes(reader, 4);
  return reader.little ? four.readUInt32LE() : four.readUInt32BE();
}

function takeBytes(reader: Reader, length: number): Buffer {
  const end = reader.at + length;
  if (end > reader.bytes.length) throw new RangeError("message cut");
  const bytes = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}

/** Splits a signature into its complete types: `a(yv)s` into `a(yv)` and `s`. */
function splitTypes(signatures: string): string[] {
  const types: string[] = [];
  let depth = 0;
  let start = 0;
  for (let offset = 0; offset < signatures.length; offset++) {
    const char = signatures.charAt(offset);
    if (char === "(" || char === "{") depth++;
    if (char === ")" || char === "}") depth--;
    if (depth > 0 || char === "a") continue;
    types.push(signatures.slice(start, offset + 1));
    start = offset + 1;
  }
  return types;
}

const ALIGNMENT: Record<string, number> = {
  ...{ n: 2, q: 2, b: 4, i: 4, u: 4, h: 4, s: 4, o: 4, a: 4 },
  ...{ x: 8, t: 8, d: 8, "(": 8, "{": 8 },
};

function writeArgument(body: Buffer, argument: DbusArgument): Buffer {
  if (argument.kind === "v")
    return Buffer.concat([pad(Buffer.concat([body, encodeSignature("s")]), 4), encodeString(argument.value)]);
  if (argument.kind !== "a{ss}") return Buffer.concat([pad(body, 4), encodeString(argument.value)]);
  let entries: Buffer = Buffer.alloc(0);
  for (const [key, value] of Object.entries(argument.value)) {
    entries = Buffer.concat([pad(Buffer.concat([pad(entries, 8), encodeString(key)]), 4), encodeString(value)]);
  }
  return Buffer.concat([pad(Buffer.concat([pad(body, 4), encodeUint(entries.length)]), 8), entries]);
}

function isLittleEndian(bytes: Buffer): boolean {
  return bytes[0] === 0x6c;
}

function align(offset: number, to: number): number {
  return Math.ceil(offset / to) * to;
}

function pad(bytes: Buffer, to: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(align(bytes.length, to) - bytes.length)]);
}

function encodeUint(value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32LE(value);
  return four;
}

function encodeString(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([encodeUint(bytes.length), bytes, Buffer.from([0])]);
}

function encodeSignature(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1"), Buffer.from([0])]);
}
