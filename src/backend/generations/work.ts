import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generations.ts";
import type { GenerationRecord } from "./generation-record.ts";
import type { Writer } from "./writer.ts";

/** A generation that this node works on: its row as it was claimed, what was asked, and where what becomes of it is written. */
export type ClaimedGeneration = {
  ports: BackendPorts;
  row: StoredGeneration;
  options: GenerationRecord;
  writer: Writer;
};
