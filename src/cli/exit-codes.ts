/** The codes a command can exit with (docs/scripting.md). A signal exits with 128 plus its number. */
export const EXIT = { ok: 0, failed: 1, usage: 2, auth: 4, denied: 5, unreachable: 6, pending: 8 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
