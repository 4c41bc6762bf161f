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

/** The part of highlight.js that kay uses. */
export type Highlighter = {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): object | undefined;
  /**
   * @returns HTML with a `span` for each token, and the final mode of the code: a mode with a `parent` is still open
   */
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string; _top?: object };
};

// Imported without types, because those of highlight.js would add the DOM types to all of kay.
const { default: core } = (await import("highlight.js/lib/core" as string)) as { default: Highlighter };

const grammars = { bash, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, grammar] of Object.entries(grammars)) core.registerLanguage(name, grammar);

/** highlight.js with languages that are common in answers. Loaded late, because it takes about 50 ms. */
export const highlighter = core;
