import { type Check, ok, warn } from "../commands/doctor/check.ts";

/** Which kay runs, on which Node, and from where. */
export const runtimeCheck: Check = {
  id: "runtime",
  title: "Runtime",
  async look({ kay, machine }) {
    const { node, execPath, launcher, platform, arch, uid } = machine;
    const what = `kay ${kay.version} on Node ${node} (${platform} ${arch}), ${execPath}; started from ${launcher}.`;
    if (uid !== 0 || !kay.env.SUDO_USER) return ok(what);
    return warn(`${what} It runs by sudo: files that it makes belong to root.`, "Run kay as yourself, without sudo.");
  },
};
