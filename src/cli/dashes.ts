/**
 * A text with a space that begins with a dash ("- summarise this") is no option (case C09). A NUL, which no argv can hold, marks it for
 * the parser; `unprotect` takes it off again.
 */
export function protectText(argument: string): string {
  return /^-[^=]*\s/.test(argument) ? `\0${argument}` : argument;
}

/** Take the mark of `protectText` off. */
export function unprotect(argument: string): string {
  return argument.startsWith("\0") ? argument.slice(1) : argument;
}
