import { expect, test } from "vitest";
import { documentOf, useKay } from "#test/kay";

const kay = useKay();

test("doctor looks at everything that kay needs, and says that all is well", async () => {
  const ann = kay({ signedIn: true, programs: ["xdg-open"], env: { DISPLAY: ":0" } });
  const result = await ann("doctor");
  console.log(result.stdout, result.stderr);
  const t = await ann("doctor", { terminal: true, columns: 80, env: { TERM: "xterm-256color", LANG: "C.UTF-8" } });
  console.log(t.stdout, t.stderr);
});
