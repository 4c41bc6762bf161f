/** Texts of `kay help <topic>`. */
export const TOPICS: Record<string, string> = {
  "exit-codes": `
Exit codes

  0     done
  1     failed
  2     the command was used wrongly
  4     sign-in, or a connection, is needed (with --json the document names the services)
  5     the person said no: denied or cancelled
  6     the backend or the network could not be reached
  8     stopped at an open confirmation (with --json the document names it and how to answer)
  130   ended by Ctrl+C (SIGINT)
  143   ended by SIGTERM
`,
  environment: `
Environment

  KAY_API_URL        backend to use instead of kay's own (as \`kay config set api-url\`)
  KAY_PROFILE        profile to use (as --profile)
  KAY_TOKEN          access token for CI; used as it is, never stored
  KAY_CREDENTIALS    where tokens are kept: auto, keychain or file
  KAY_CONFIG_DIR     folder of settings and sealed credentials
  KAY_MODEL          model that answers, as provider:model (as \`kay config set model\`)
  KAY_DATABASE_URL   Postgres for \`kay serve\` (or DATABASE_URL); default: its own
  KAY_CLIENT_<PROVIDER>_ID, KAY_CLIENT_<PROVIDER>_SECRET
                     your own OAuth client, for ATLASSIAN, BITBUCKET, GOOGLE or KYG
  KAY_CA_FILE        certificates to trust besides the usual ones
  KAY_DEBUG          say more about what happens
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY
                     keys of the model providers; with none of them the offline planner answers
  BROWSER            program that opens links; none opens nothing
  NO_COLOR, FORCE_COLOR, CLICOLOR, TERM=dumb, CI, XDG_CONFIG_HOME, XDG_STATE_HOME
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS

A flag beats the environment, which beats the profile, which beats the default.
`,
  json: `
JSON

With --json, stdout is exactly one JSON document and a newline; everything else goes to stderr. Names are those of the wire.

  kay connections --json     {"connections": {"jira": {"connected": true, "user": {…}, "metadata": {…}}, …}}
  kay ask --json "…"         {"status": "completed", "message": "…", "data": …, "generation_id": "…", "receipts": [ … ]}
  kay ask --confirm --json   {"status": "confirmation_required", "confirmation_token": "…", …} and exit 8
  kay connect S --no-wait --json
                             {"service", "session_id", "authorization_url", "state", "expires_at", "poll"}

A failure is one document too, with the exit code of \`kay help exit-codes\`:

  {"error": CODE, "code": CODE, "message": "…", "hint": "…"}

Warnings travel inside the document, as "warnings": ["…"], where stderr is no terminal.
`,
  approvals: `
Approvals

kay asks before it changes anything that cannot be undone, and before everything with --confirm:

  kay ask --confirm "close KAY-3"

On a terminal it shows what would be done and asks y/N; nothing is done before a yes. In a script, in CI, or with --no-input it
prints the confirmation with its token and exits 8. Within five minutes, from any process of the same profile:

  kay confirm TOKEN --approve
  kay confirm TOKEN --deny

A token answers once. What was done is listed as receipts.
`,
};
