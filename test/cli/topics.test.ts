import { expect, test } from "vitest";
import { TOPICS } from "#cli/help/topics";
import { ERRORS } from "#protocol/errors";
import { programAlone } from "#test/completion";

test("`kay help exit-codes` lists every code of an error or a signal, and no other", () => {
  const codes = [...(TOPICS["exit-codes"] ?? "").matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  const errors = Object.values(ERRORS).map(({ exit }) => Number(exit));
  expect(codes).toEqual([...new Set([0, ...errors, 130, 143])].sort((a, b) => a - b));
});

test("every topic begins with its title", () => {
  for (const text of Object.values(TOPICS)) expect(text).toMatch(/^\n[A-Z][\w ]+\n\n/);
});

test("every command that a topic shows exists", () => {
  const program = programAlone();
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const commands = Object.values(TOPICS).flatMap((text) =>
    [...text.matchAll(/(?:^ +|`)kay ([a-z]+)\b/gm)].map(([, name = ""]) => name),
  );
  expect(commands.filter((name) => !names.includes(name))).toEqual([]);
});

test("`kay help` lists every topic", () => {
  const lines: string[] = [];
  const program = programAlone();
  program.configureOutput({ writeOut: (text) => void lines.push(text) });
  program.outputHelp();
  expect(Object.keys(TOPICS).filter((name) => !lines.join("").includes(name))).toEqual([]);
});
