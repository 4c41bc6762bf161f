import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** What kay uses of highlight.js. */
export type Highlighter = {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): object | undefined;
  /** @returns HTML with a `span` for what has a meaning, and the mode that the code ends in: one with a `parent` is not over */
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string; _top?: object };
};

// Its own types bring those of a browser with them, for all of kay: so they are not looked up.
const { default: core } = (await import("highlight.js/lib/core" as string)) as { default: Highlighter };

const grammars = { bash, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, grammar] of Object.entries(grammars)) core.registerLanguage(name, grammar);

/** highlight.js with the languages that answers are likely to hold; loaded late, since it costs about 50 ms. */
export const highlighter = core;
