import { onTestFinished } from "vitest";
import { listen } from "#backend/http/listen";
import { sandbox } from "../stand-in.ts";

type World = ReturnType<typeof sandbox>;

/** A sandbox with one origin on a loopback port until the test ends, as an external client uses it. */
export async function serveSandbox(name: keyof World["origins"]): Promise<World & { url: string }> {
  const world = sandbox();
  const listener = await listen(world.origins[name], { host: "127.0.0.1", port: 0, grace: 100 });
  onTestFinished(() => listener.close());
  return { ...world, url: listener.url };
}

/** Returns the error of a rejected promise. @throws if it was not rejected */
export async function catchFailure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("Nothing failed");
    },
    (error: unknown) => error,
  );
}
