import { type Listener, type ListenOptions, listen } from "#backend/http/listen";
import { Problem } from "#protocol/errors";

/** Listen at the port that is asked for, or at a free one where that is taken. */
export async function listenPreferably(fetch: Parameters<typeof listen>[0], options: ListenOptions): Promise<Listener> {
  try {
    return await listen(fetch, options);
  } catch (error) {
    if (!(error instanceof Problem) || options.port === 0) throw error;
    return listen(fetch, { ...options, port: 0 });
  }
}
