import type { Credentials, SignIn } from "../credentials/credentials.ts";

/**
 * Stores the installation of a first connection before its consent, so that another connection that starts meanwhile
 * belongs to it. Data of another installation is dropped, because the backend no longer knows it.
 *
 * @param first.requestedId the installation that the request named
 */
export async function saveFirstConnection(
  credentials: Credentials,
  origin: string,
  { requestedId, session_id, state, deadline, now }: FirstOptions,
): Promise<void> {
  await credentials.update(origin, (current) => {
    if (current.session_id !== requestedId) return current;
    const signIn = requestedId === session_id ? current : { session_id };
    return { ...signIn, session_id, first: [...listFirstConnections(signIn, now), { state, deadline }] };
  });
}

type FirstOptions = {
  requestedId: string | undefined;
  session_id: string;
  state: string;
  deadline: number;
  now: number;
};

/** Removes a first connection that was not completed, and the installation if nothing else belongs to it. */
export async function forgetFirstConnection(
  credentials: Credentials,
  origin: string,
  { state, now }: { state: string; now: number },
): Promise<void> {
  const { signIn } = await credentials.read(origin);
  if (!signIn.first?.some((entry) => entry.state === state)) return;
  await credentials.update(origin, (current) => {
    const { first: _, ...rest } = current;
    const first = listFirstConnections(current, now).filter((entry) => entry.state !== state);
    if (first.length > 0) return { ...rest, first };
    return rest.token || rest.refresh_token || rest.begun?.some(({ deadline }) => deadline > now) ? rest : {};
  });
}

/** Returns the first connections whose links are still valid. */
export function listFirstConnections({ first = [] }: SignIn, now: number): NonNullable<SignIn["first"]> {
  return first.filter(({ deadline }) => deadline > now);
}
