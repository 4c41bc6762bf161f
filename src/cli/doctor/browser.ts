import { type Check, ok, skip, warn } from "../commands/doctor/check.ts";

/** What would open a link, without opening one. */
export const browserCheck: Check = {
  id: "browser",
  title: "Browser",
  async look(facts) {
    const { kay, machine } = facts;
    await facts.settings();
    const plan = await kay.planBrowser("https://example.com/");
    if ("reason" in plan) {
      if (/--no-browser|BROWSER=none|in CI/.test(plan.reason)) return skip(`${plan.reason} Links are printed.`);
      const fix = "Open printed links yourself, or name a program with `kay config set browser <program>`.";
      return warn(`${plan.reason} Links are printed.`, fix);
    }
    const { command } = plan.launch;
    const isPath = /[\\/]/.test(command) || ["open", "rundll32"].includes(command);
    if (!isPath && machine.find(command) === null)
      return warn(
        `${command} is to open links, but is not on the PATH.`,
        "Set BROWSER, or `kay config set browser <program>`, to one that is.",
      );
    return ok(`Links are opened by ${command}.`);
  },
};
