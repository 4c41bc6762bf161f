/** How the user consents: what happens with an authorization URL. */
export type Consent = (authorizationUrl: string) => Promise<void>;

/** The sandbox's way if the URL leads to a sandbox on this machine, otherwise a user's. */
export const consentAsPossible: Consent = async (authorizationUrl) =>
  (await isSandbox(authorizationUrl)) ? sandboxConsent(authorizationUrl) : consentByHand(authorizationUrl);

/** Returns whether a consent page is a sandbox's on this machine. */
export async function isSandbox(authorizationUrl: string): Promise<boolean> {
  const { origin, hostname } = new URL(authorizationUrl);
  if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) return false;
  return fetch(`${origin}/_sandbox/faults`).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** The sandbox's own way (docs/sandbox.md): consent as its demo user, then go where the browser would be sent. */
const sandboxConsent: Consent = async (authorizationUrl) => {
  const { redirect_url: redirect } = await decideInSandbox(authorizationUrl);
  const page = await fetch(redirect);
  if (!page.ok) throw new Error(`The callback answered ${page.status}: ${await page.text()}`);
};

/** A user's way: prints the URL; the checks then wait until the backend reports it. */
const consentByHand: Consent = async (authorizationUrl) => {
  process.stdout.write(`\nOpen this in a browser and allow it:\n${authorizationUrl}\n`);
};

async function decideInSandbox(authorizationUrl: string): Promise<{ redirect_url: string }> {
  const answer = await fetch(`${new URL(authorizationUrl).origin}/_sandbox/consent`, {
    method: "POST",
    body: JSON.stringify({ authorization_url: authorizationUrl, decision: "allow" }),
  });
  if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { redirect_url: string };
}
