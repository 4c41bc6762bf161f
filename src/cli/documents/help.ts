import * as z from "zod/mini";

/** A command in a list of them. */
const Entry = z.looseObject({ name: z.string(), description: z.string() });

/** An argument or an option, as it is typed. */
const Flag = z.looseObject({ flags: z.string(), description: z.string() });

/** A command, or kay itself. */
const CommandHelp = z.looseObject({
  /** Its words, as they are typed. */
  name: z.string(),
  description: z.string(),
  usage: z.string(),
  arguments: z.array(Flag),
  options: z.array(Flag),
  /** Commands below it. */
  commands: z.array(Entry),
  /** The whole page. */
  text: z.string(),
});

/** A page of `kay help`. */
const Topic = z.looseObject({ topic: z.string(), text: z.string() });

/** What `kay help` prints; `kay help json <command>` prints a JSON Schema instead. */
export const Help = z.union([CommandHelp, Topic]);
