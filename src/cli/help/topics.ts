import { JSON_TOPIC } from "./topic-json.ts";

/** Texts of `kay help <topic>`. */
export const TOPICS: Record<string, string> = {
  "exit-codes": `
Exit codes

  0     done
  1     failed
  2     invalid usage
  4     a sign-in or a connection is required (--json lists the services)
  5     you denied or canceled it
  6     the backend or the network could not be reached
  8     stopped at an open approval, form, confirmation or request to connect
        (--json shows it and how to answer it)
  130   ended by Ctrl+C (SIGINT)
  143   ended by SIGTERM
`,
  environment: `
Environment

  KAY_API_URL        backend to use instead of the local one (as \`kay config set api-url\`)
  KAY_PROFILE        profile to use (as --profile; overrides \`kay profile use\`)
  KAY_TOKEN          token for scripts and CI (\`kay token create\`); never stored
  <SERVICE>_ACCESS_TOKEN, <SERVICE>_SITE, <SERVICE>_CLOUD_ID
                     the service's own token and its site, with which
                     \`kay tools call\` runs a tool without a backend
  KAY_CREDENTIALS    where to store tokens: auto, keychain or file
  KAY_CONFIG_DIR     folder for settings and encrypted credentials
  KAY_APPROVAL_TIMEOUT
                     how long approvals wait (24h); read by the backend
  KAY_NOTIFY         command or https URL to notify of requests that no
                     terminal shows; read by the backend (as \`kay config set notify\`)
  KAY_MODEL          model to use, as provider:model or offline; read by the
                     backend (as \`kay config set model\`)
  KAY_CA_FILE        file of additional certificates to trust (PEM)
  KAY_NO_UPDATE_NOTIFIER, NO_UPDATE_NOTIFIER, DO_NOT_TRACK
                     do not check for a newer version (as \`kay config set update-notice off\`)
  NPM_CONFIG_REGISTRY
                     registry to check for a newer version (default: the public one)
  KAY_DEBUG          print debug output
  KAY_FORCE_TTY      treat the output as a terminal with this many columns
  BROWSER            program that opens links, or none
  VISUAL, EDITOR     editor for your text and for the input of an approval
  PAGER              program for output longer than the terminal; cat turns it off
  ACCESSIBLE, INK_SCREEN_READER, TERM=dumb
                     print plain lines and redraw nothing (as --plain of \`kay ask\`)
  NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM=dumb
                     turn color on or off, in this order
  CI                 never prompt or open a browser
  XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_RUNTIME_DIR, XDG_CACHE_HOME
                     folders for kay's files; each gets a folder kay
  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS
                     proxies (http: or https:, not SOCKS) and certificates; names can be
                     lowercase too

For the backend: the local one, or \`kay serve\`

  KAY_DATABASE_URL, DATABASE_URL
                     Postgres to use (default: the embedded one)
  KAY_AGENT_URL, KAY_AGENT_PASSWORD
                     agent server that answers instead of a model, and its password,
                     which \`kay serve --role agent\` also requires
  KAY_TRUST_PROXY    reverse proxies whose client addresses to trust (as --trust-proxy)
  KAY_DRAIN          seconds to keep answering after a stop signal (as --drain)
  KAY_SANDBOX        shared sandbox: the file that \`kay serve --sandbox-only\` prints
  KAY_KEYS           encryption keys, as JSON or a file (default: created at first start)
  KAY_LOG_LEVEL      lowest level to log: debug, info (default), warn or error
  KAY_METRICS_TOKEN  token for /metrics and /status of \`kay serve\`
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
                     collector for traces over OTLP/HTTP (JSON); default: none
  OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT,
  OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED
  OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG
                     as OpenTelemetry defines them
  KAY_IDLE_LIMIT_MS  milliseconds without a request before the local backend stops
  KAY_CLIENT_<PROVIDER>_ID, KAY_CLIENT_<PROVIDER>_SECRET
                     your own OAuth client for ATLASSIAN, BITBUCKET, SLACK,
                     GITHUB, GOOGLE, NOTION, AIRTABLE, HUBSPOT, LINKEDIN or KYG
  KAY_CLIENT_<SERVICE>_SECRET
                     client secret of a custom service (local backend only)
  KAY_CLIENT_DOCUMENT
                     URL of your OAuth client document for MCP servers (client-document)
  KAY_GITHUB_URL     URL of your GitHub Enterprise (as \`kay config set github.url\`)
  KAY_JIRA_PROJECT, KAY_CONFLUENCE_SPACE, KAY_SLACK_CHANNEL, KAY_GITHUB_REPOSITORY,
  KAY_BITBUCKET_REPOSITORY, KAY_GOOGLE_CALENDAR_CALENDAR, KAY_AIRTABLE_BASE
                     defaults for requests that name none (as \`kay config set jira.project\`)
  KAY_<PROVIDER>_SIGN_IN
                     token, to paste a token instead of consenting, for SLACK,
                     GITHUB, NOTION, AIRTABLE or HUBSPOT
  KAY_KYG_AUTHORIZE_URL, KAY_KYG_TOKEN_URL, KAY_KYG_API_URL, KAY_KYG_SCOPES
                     endpoints and scopes of kyg
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY (or GEMINI_API_KEY, GOOGLE_API_KEY)
                     keys of model providers; without one, kay uses Ollama or LM Studio
                     on this machine, or else the offline planner
  KAY_MODEL_PRICES   US dollars per million tokens in and out, to show what answers cost:
                     openai:gpt-6-astra=1.25/10, anthropic:claude-sonnet-5-5=3/15
  OPENAI_MODEL, ANTHROPIC_MODEL, GEMINI_MODEL
                     the provider's model, if KAY_MODEL names none
  OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GENERATIVE_AI_BASE_URL, GOOGLE_GEMINI_BASE_URL
                     the provider's address
  OPENAI_COMPATIBLE_BASE_URL, OPENAI_COMPATIBLE_MODEL, OPENAI_COMPATIBLE_API_KEY
                     any endpoint that speaks OpenAI's protocol
  OLLAMA_HOST, OLLAMA_MODEL, OLLAMA_API_KEY
                     where Ollama is (default 127.0.0.1:11434), its model, its key

Flags override the environment, which overrides the profile and then the defaults.
`,
  json: JSON_TOPIC,
  session: `
The session

\`kay\` opens one, \`kay ask -c\` continues the last, and \`kay attach\` joins a running one.

  Enter               send; while kay works, queue
  Ctrl+Enter          send now and cancel the current request
  Shift+Enter, Ctrl+J, \\ at the end
                      a new line
  /                   list the commands and aliases; keep typing to filter
  @                   mention a file, a picture, an issue, a channel or a person
  ?                   show these keys, if the input is empty
  Tab                 complete; move between cards and the input
  Up, Down            earlier messages; Up takes back the newest queued one
  Ctrl+R              search earlier messages
  Ctrl+G              open the text in the editor (VISUAL, EDITOR)
  Ctrl+O              print the full log and result of the newest call
  Alt+O               open the link of the newest receipt
  Ctrl+L              clear the window; earlier text stays in the scrollback
  Ctrl+Z              suspend kay
  Esc                 cancel the current request
  Ctrl+C              clear the input, then cancel, then leave (twice)
  Ctrl+D              leave if the input is empty
  /help               the commands of the session
  //word              text that begins with a slash

Requests appear as cards that show their keys. A card ignores keys typed before it
was visible. If you leave it open, it stays pending:

  kay ask -c                      # the conversation as it was, with the card
  kay ask --resume latest
  kay attach                      # join it from another terminal
  kay pending                     # list open requests and how to answer them

With --plain, ACCESSIBLE=1 or TERM=dumb, a session prints plain lines with numbered
choices and redraws nothing.
`,
  approvals: `
Approvals

kay asks before it makes a change. It shows everything that it would send, and
ignores keys that you typed earlier.

  1  once
  2  this session: the same tool and target, in this conversation
  3  always: exactly what the card says, until you revoke it
  e  edit the input
  n  deny, with a reason

In a script, in CI, or with --no-input, the request stays open and kay exits with 8.
Any process with the same profile can answer it until it expires. The first answer
counts:

  kay pending
  kay answer ID --approve --scope session
  kay answer ID --edit '{"channel": "#general", "text": "…"}'
  kay answer ID --deny --reason "not in this channel"

Answer forms and requests to connect the same way:

  kay answer ID --field project=KAY --field summary="Login loops"
  kay answer ID --decline        # or --cancel
  kay answer ID                  # prompts, or connects the missing services

List, test and revoke saved approvals:

  kay approvals list
  kay approvals test slack.send_message '{"channel": "#general", "text": "Hi"}'
  kay approvals revoke ID
  kay policy set slack ask       # or reads, everything, unset

With --confirm, kay changes nothing until you approve the whole request:

  kay ask --confirm "close KAY-3"

A script gets a token and exit code 8. The token works once, within five minutes:

  kay confirm TOKEN --approve
  kay confirm TOKEN --deny

A script can pre-approve tools, optionally for one target. Everything else still
stops, as do policies that always ask and risky inputs such as a mention of everyone.
--yes alone approves nothing:

  kay ask --allow slack.send_message:#random "tell #random the build is green"
  kay ask --allow-file ci.allow "…"   # one entry per line; # starts a comment

--dry-run only reads, and shows what kay would change and whether it would ask:

  kay ask --dry-run "close KAY-3"

kay lists the changes it made as receipts.
`,
};
