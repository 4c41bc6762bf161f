import type { Keys } from "#backend/store/keys";

/** The model's address as the backend knows it. */
export const MODEL = "http://model.test/v1";

/** Keys that all processes of a test share. */
export const TEST_KEYS: Keys = {
  signing: [{ id: "s1", key: new Uint8Array(32).fill(1) }],
  sealing: [{ id: "k1", key: new Uint8Array(32).fill(2) }],
};
