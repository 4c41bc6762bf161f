import type { HandleElicitation } from "#connectors/mcp/client";

/** Links of one key beside each other. */
const MOST_LINKS = 4;

/** How much a link does: calls under way, and questions to a person that are open. */
export type LinkLoad = { running: number; asking: number };

/**
 * The key of a link for a call that a person may be asked about. A question of the older protocol does not say which call it belongs to. On the
 * network each such call has a link to itself therefore; a program is started once more only while one of its questions is open.
 */
export function chooseConnectionKey(
  links: ReadonlyMap<string, LinkLoad>,
  key: string,
  { shared }: { shared: boolean },
): string {
  const keys = Array.from({ length: MOST_LINKS }, (_, index) => (index === 0 ? key : `${key}#${index + 1}`));
  const isFree = ({ running, asking }: LinkLoad) => (shared ? asking : running) === 0;
  return (
    keys.find((one) => {
      const link = links.get(one);
      return !link || isFree(link);
    }) ?? key
  );
}

/** Whether a key is that of a link, or of one beside it. */
export function isKeyOf(key: string, one: string): boolean {
  return one === key || one.startsWith(`${key}#`);
}

/** Notes while a person is asked over a link. */
export function countQuestions(link: LinkLoad, ask: HandleElicitation): HandleElicitation {
  return async (...question) => {
    link.asking++;
    try {
      return await ask(...question);
    } finally {
      link.asking--;
    }
  };
}
