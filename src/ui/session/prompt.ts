/** What stands before the first row of what is being typed. */
export const PROMPT = "> ";
