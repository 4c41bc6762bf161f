import fc from "fast-check";
import { expect, test } from "vitest";
import { seal, unseal } from "#backend/store/seal";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const key = fc.record({ id: fc.stringMatching(/^[\w.-]{1,64}$/), key: bytes });
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 4, selector: ({ id }) => id });
const text = fc.string({ unit: "grapheme" });

const unreadable = expect.objectContaining({ name: "Problem", code: "STORE_UNREADABLE" });

test("an encrypted value is decrypted for its context, whatever it is", () => {
  fc.assert(
    fc.property(keys, text, fc.uint8Array({ maxLength: 5_000 }), (keys, context, plain) => {
      expect(unseal(keys, context, seal(keys, context, plain))).toEqual(Buffer.from(plain));
    }),
  );
});

test("an encrypted value is not decrypted for any other context", () => {
  fc.assert(
    fc.property(keys, text, text, text, (keys, context, other, plain) => {
      fc.pre(context !== other);
      const sealed = seal(keys, context, plain);
      expect(() => unseal(keys, other, sealed)).toThrow(unreadable);
    }),
  );
});

test("an encrypted value with any bit changed, cut short or extended is not decrypted", () => {
  fc.assert(
    fc.property(keys, text, fc.nat(), fc.nat(7), fc.uint8Array({ minLength: 1 }), (keys, plain, at, bit, more) => {
      const sealed = seal(keys, "grants/1", plain);
      const changed = Buffer.from(sealed);
      const index = at % sealed.length;
      changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index);
      expect(() => unseal(keys, "grants/1", changed)).toThrow(unreadable);
      expect(() => unseal(keys, "grants/1", sealed.subarray(0, index))).toThrow(unreadable);
      expect(() => unseal(keys, "grants/1", Buffer.concat([sealed, more]))).toThrow(unreadable);
    }),
  );
});

test("the first key encrypts and every key decrypts, so a new key may be put first at any time", () => {
  fc.assert(
    fc.property(keys, key, text, (former, added, plain) => {
      fc.pre(former.every(({ id }) => id !== added.id));
      const before = seal(former, "c", plain);
      const after = seal([added, ...former], "c", plain);
      expect(unseal([added, ...former], "c", before).toString()).toBe(plain);
      expect(unseal([added], "c", after).toString()).toBe(plain);
      expect(() => unseal(former, "c", after)).toThrow(unreadable);
    }),
  );
});

test("encrypting the same value twice gives two different results, and neither reveals it", () => {
  fc.assert(
    fc.property(keys, fc.string({ minLength: 8, unit: "binary-ascii" }), (keys, plain) => {
      const [one, two] = [seal(keys, "c", plain), seal(keys, "c", plain)];
      expect(one.equals(two)).toBe(false);
      expect(one.includes(plain)).toBe(false);
    }),
  );
});

test("a key with the same name but other bytes does not decrypt it", () => {
  fc.assert(
    fc.property(key, bytes, text, (key, other, plain) => {
      fc.pre(!Buffer.from(key.key).equals(Buffer.from(other)));
      const sealed = seal([key], "c", plain);
      expect(() => unseal([{ id: key.id, key: other }], "c", sealed)).toThrow(unreadable);
    }),
  );
});
