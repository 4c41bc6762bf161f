import { expect, test } from "vitest";
import { createBackend } from "#backend/app";
import type { BackendPorts } from "#backend/ports";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend();
const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });
const OLD = key("s1", 1);
const NEW = key("s2", 7);

test("rotating the signing key step by step and node by node ends no sign-in", async () => {
  const { token, refreshToken } = await connect(world());
  const node = (...signing: BackendPorts["keys"]["signing"]) => {
    const backend = createBackend({ ...world().ports, keys: { ...world().ports.keys, signing } });
    const call = async (path: string, init: RequestInit) =>
      (await (await backend.fetch(new Request(`http://127.0.0.1:4000${path}`, init))).json()) as {
        token: string;
        refresh_token: string;
      };
    return {
      uses: async (bearer: string) => await call("/connections", { headers: { authorization: `Bearer ${bearer}` } }),
      refresh: async (refresh_token: string) =>
        await call("/auth/refresh", { method: "POST", body: JSON.stringify({ refresh_token }) }),
    };
  };
  const [first, second, third] = [node(OLD, NEW), node(NEW, OLD), node(NEW)];
  expect(await second.uses(token)).toHaveProperty("connections");
  const rotated = await second.refresh(refreshToken);
  expect(await first.uses(rotated.token)).toHaveProperty("connections");
  // The same again within the grace, at a node that signs with the former key.
  expect((await first.refresh(refreshToken)).refresh_token).toBe(rotated.refresh_token);
  expect(await third.uses(rotated.token)).toHaveProperty("connections");
  expect(await third.uses(token)).toMatchObject({ code: "TOKEN_INVALID" });
  expect((await third.refresh(rotated.refresh_token)).token).toMatch(/^eyJ/);
});
