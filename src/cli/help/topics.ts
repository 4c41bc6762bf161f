import { JSON_TOPIC } from "./topic-json.ts";

/** Texts of `kay help <topic>`. */
export const TOPICS: Record<string, string> = {
  "exit-codes": `
Exit codes

  0     done
  1     failed
  2     the command was used wrongly
  4     sign-in, or a connection, is needed (--json names the services)
  5     you denied or cancelled it
  6     the backend or the network could not be reached
  8     stopped at an open approval, form, confirmation or request to connect
        (--json names it, and how to answer)
  130   ended by Ctrl+C (SIGINT)
  143   ended by SIGTERM
`,
  environment: `
Environment

  KAY_API_URL        backend to use instead of kay's own (as \`kay config set api-url\`)
  KAY_PROFILE        profile to use (as --profile; beats \`kay profile use\`)
  KAY_TOKEN          access token for CI; used as it is, never stored
  <SERVICE>_ACCESS_TOKEN, <SERVICE>_SITE, <SERVICE>_CLOUD_ID
                     the service's own token, with which \`kay tools call\` runs
                     a tool without a backend, and where the token is to be used
  KAY_CREDENTIALS    where tokens are kept: auto, keychain or file
  KAY_CONFIG_DIR     folder of settings and sealed credentials
  KAY_MODEL          model that answers, as provider:model, or offline; counts where the
                     backend runs (as \`kay config set model\`)
  KAY_CA_FILE        file of certificates (PEM) to trust besides the usual ones
  KAY_NO_UPDATE_NOTIFIER, NO_UPDATE_NOTIFIER, DO_NOT_TRACK
                     no look for a newer version (as \`kay config set update-notice off\`)
  NPM_CONFIG_REGISTRY
                     where a newer version is looked for; default: the public registry
  KAY_DEBUG          say more about what happens
  KAY_FORCE_TTY      treat the output as a terminal of so many columns
  BROWSER            program that opens links; none opens nothing
  VISUAL, EDITOR     editor for what an approval is to send instead
  PAGER              program that shows what is longer than the terminal; cat is none
  ACCESSIBLE, INK_SCREEN_READER, TERM=dumb
                     only text and nothing redrawn, as --plain of \`kay ask\`
  NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM=dumb
                     colours, in this order
  CI                 nobody can be asked, and no browser is opened
  XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_RUNTIME_DIR, XDG_CACHE_HOME
                     where files go, in a folder kay of each
  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS
                     the way to what is not on this machine, in either case; proxies are
                     http: or https:, not SOCKS

For the backend, kay's own or \`kay serve\`

  KAY_DATABASE_URL, DATABASE_URL
                     Postgres to use; default: its own
  KAY_AGENT_URL, KAY_AGENT_PASSWORD
                     an agent server elsewhere that answers instead of a model here; the
                     password is also that of \`kay serve --role agent\` itself
  KAY_TRUST_PROXY    servers in front that say for whom they ask, as --trust-proxy of \`kay serve\`
  KAY_DRAIN          seconds that \`kay serve\` answers for after it is told to stop, as --drain
  KAY_SANDBOX        the sandbox that nodes share, as the file of \`kay serve --sandbox-only\`
  KAY_KEYS           its keys, as JSON or as a file with it; default: made at the first start
  KAY_LOG_LEVEL      the least that is logged: debug, info (default), warn or error
  KAY_METRICS_TOKEN  token that opens /metrics and /status (\`kay serve\`)
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
                     a collector of traces over OTLP/HTTP (JSON); without one there are none
  OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT,
  OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED
  OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG
                     as OpenTelemetry has them
  KAY_IDLE_LIMIT_MS  kay's own backend ends after so many milliseconds without a request
  KAY_CLIENT_<PROVIDER>_ID, KAY_CLIENT_<PROVIDER>_SECRET
                     your own OAuth client, for the provider ATLASSIAN, BITBUCKET, SLACK,
                     GITHUB, GOOGLE, NOTION, AIRTABLE, HUBSPOT, LINKEDIN or KYG
  KAY_CLIENT_<SERVICE>_SECRET
                     secret of the client of a service of your own (kay's own backend only)
  KAY_KYG_AUTHORIZE_URL, KAY_KYG_TOKEN_URL, KAY_KYG_API_URL, KAY_KYG_SCOPES
                     where kyg is
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY (or GEMINI_API_KEY, GOOGLE_API_KEY)
                     keys of the model providers; with none of them an Ollama or LM Studio
                     on this machine answers, and without those the offline planner
  OPENAI_MODEL, ANTHROPIC_MODEL, GEMINI_MODEL
                     the provider's model, where KAY_MODEL names none
  OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GENERATIVE_AI_BASE_URL, GOOGLE_GEMINI_BASE_URL
                     the provider's address
  OPENAI_COMPATIBLE_BASE_URL, OPENAI_COMPATIBLE_MODEL, OPENAI_COMPATIBLE_API_KEY
                     any endpoint that speaks OpenAI's protocol
  OLLAMA_HOST, OLLAMA_MODEL, OLLAMA_API_KEY
                     where Ollama is (default 127.0.0.1:11434), its model, its key

A flag beats the environment, which beats the profile, which beats the default.
`,
  json: JSON_TOPIC,
  session: `
The session

\`kay ask\` without a question, \`kay ask -c\` and \`kay attach\` open one.

  Enter               send; while kay works, queue
  Ctrl+Enter          send now, which ends what is under way
  Shift+Enter, Ctrl+J, \\ at the end
                      a new line
  Tab                 complete; move between cards and the line
  Up, Down            what was sent before; the newest of the queue comes back
  Ctrl+R              search what was sent before
  Ctrl+G              open the text in the editor (VISUAL, EDITOR)
  Ctrl+O              print the whole log and result of the newest call
  Ctrl+L              draw everything anew
  Ctrl+Z              stop kay as a job
  Esc                 cancel what is under way
  Ctrl+C              clear the line, then cancel, then leave (twice)
  Ctrl+D              leave, when nothing is typed
  /help               the commands of the session
  //word              text that begins with a slash

What needs you is a card, which says its keys. It takes none that was typed before
it was to be seen. Left open, it goes on waiting:

  kay ask -c                      # the conversation as it was, with the card
  kay ask --resume latest
  kay attach                      # join it from another terminal
  kay pending                     # what waits, and how to answer it

With --plain, ACCESSIBLE=1 or TERM=dumb a session is lines of text, with numbered
answers and nothing redrawn.
`,
  approvals: `
Approvals

kay asks before it does what needs a yes. What would be sent is shown whole,
field by field, and only what is typed after it was shown is an answer.

  1  once
  2  this session: the same tool and place, in this conversation
  3  always: exactly what its words say, until you revoke it
  e  edit what is sent
  n  no, and why

In a script, in CI, or with --no-input it stays open, and the exit code is 8. Then
any process of the same profile may answer, until it expires; the first answer
counts:

  kay pending
  kay answer ID --approve --scope session
  kay answer ID --edit '{"channel": "#general", "text": "…"}'
  kay answer ID --deny --reason "not in this channel"

Forms and requests to connect wait in the same way:

  kay answer ID --field project=KAY --field summary="Login loops"
  kay answer ID --decline        # or --cancel
  kay answer ID                  # asks, or connects what is missing

What lasts is listed, can be tried, and taken back:

  kay approvals list
  kay approvals test slack.send_message '{"channel": "#general"}'
  kay approvals revoke ID
  kay policy set slack ask       # or reads, everything, unset

With --confirm, nothing is done before a yes to all of it:

  kay ask --confirm "close KAY-3"

A script gets a token and exit code 8. Within five minutes, once:

  kay confirm TOKEN --approve
  kay confirm TOKEN --deny

A script may say beforehand what needs no yes, by tool, or tool and place. What
is not named still stops, and so do a policy to ask every time and what a tool
asks because of its arguments ("everybody"). --yes approves nothing by itself:

  kay ask --allow slack.send_message:#ci "tell #ci that the build is green"
  kay ask --allow-file ci.allow "…"   # an entry on each line, # comments

--dry-run reads, and says what else would be done, and whether it would ask:

  kay ask --dry-run "close KAY-3"

What was done is listed as receipts.
`,
};
