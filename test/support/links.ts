/** Links to the sandbox's consent pages as `kay connect` prints them, their states shortened. */
const LINKS: Record<string, { host: string; link: string }> = {
  jira: atlassian("read%3Ajira-work%20write%3Ajira-work%20read%3Ajira-user%20read%3Ame%20offline_access"),
  confluence: atlassian(
    "search%3Aconfluence%20read%3Apage%3Aconfluence%20write%3Apage%3Aconfluence%20read%3Aspace%3Aconfluence%20read%3Acomment%3Aconfluence%20write%3Acomment%3Aconfluence%20read%3Auser%3Aconfluence%20read%3Ame%20offline_access",
  ),
  bitbucket: {
    host: "127.0.0.1:4011",
    link: `http://127.0.0.1:4011/site/oauth2/authorize?response_type=code&client_id=kay-sandbox-bitbucket&${redirect()}&scope=account%20repository%20pullrequest%20pullrequest%3Awrite&state=STATE`,
  },
};

/** What a user sees of a pending connection if no browser can be opened. */
export function asksFor(service: string, why = "There is no display to open a browser on."): string {
  return `${linkTo(service)}${why} Open the link manually.\nWaiting for authorization in your browser (10 minutes left)…\n`;
}

/** The link alone, as on stderr. */
export function linkTo(service: string): string {
  const { host, link } = LINKS[service] ?? { host: "", link: "" };
  return `To connect ${service}, allow access at ${host}:\n\n${link}\n\n`;
}

function atlassian(scope: string) {
  const start = "http://127.0.0.1:4010/authorize?audience=api.atlassian.com&prompt=consent&response_type=code";
  return {
    host: "127.0.0.1:4010",
    link: `${start}&client_id=kay-sandbox-atlassian&${redirect()}&scope=${scope}&state=STATE`,
  };
}

function redirect(): string {
  return "redirect_uri=http%3A%2F%2F127.0.0.1%3A4000%2Fauth%2Fcallback";
}
