/** Makes of some work what may be called at any time: it is done once more after it ends if that was wanted meanwhile, never twice at once. */
export function coalesce(work: () => Promise<void>): () => void {
  let state: "idle" | "busy" | "again" = "idle";
  return function go() {
    if (state !== "idle") {
      state = "again";
      return;
    }
    state = "busy";
    void work().finally(() => {
      const again = state === "again";
      state = "idle";
      if (again) go();
    });
  };
}
