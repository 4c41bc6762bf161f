/** Text of `kay help json`. */
export const JSON_TOPIC = `
JSON

With --json, stdout is exactly one JSON document and a newline. Everything else goes
to stderr. Field names are those of the HTTP API.

  kay connections --json
      {"connections": {"jira": {"connected": true, "user": {…}, "metadata": {…}}}}
  kay ask --json "…"
      {"status": "completed", "message": "…", "data": {…}, "generation_id": "…",
       "receipts": [{"effect": "settled", "summary": "…", "url": "…"}]}
      {…, "status": "pending", "pending": [{"id": "…", "kind": "approval", "request": {…},
       "answer": ["kay answer … --approve", …]}]} if it stops, with exit code 8
  kay ask --json --stream "…", kay attach --json
      JSON Lines, one per part as it arrives: {"type", "session_id", "timestamp", …};
      a complete answer is {"type": "answer", …}, and a failure at the end is
      {"type": "error", …}
  kay pending --json
      {"pending": [{"id", "kind", "session_id", "generation_id", "expires_at", "answer", …}]}
  kay inbox --json
      JSON Lines, one per new request, each like an entry of "pending"
  kay every list --json
      {"schedules": [{"id", "timing", "time_zone", "prompt", "next_at", …}]}
  kay approvals list --json, kay policy get --json
      {"approvals": [{"id", "scope", "tool", "words", …}]}
      {"policies": [{"target": "slack", "mode": "ask"}]}
  kay log --json
      {"writes": [{"summary", "state", "service", "account", "url", "prompt", …}], "has_more"}
  kay sessions list --json, kay sessions show latest --json
      {"data": [{"id", "title", "status", …}], "page", "limit", "total", "has_more"}
      {"id", "title", …, "events": [{"number": 1, "type": "…", …}]}
  kay ask --confirm --json "…", which exits with 8
      {"status": "confirmation_required", "confirmation_token": "…", "message": "…"}
  kay doctor --json, which exits with 1 if a check failed
      {"ok": false, "checks": [{"id": "clock", "state": "failed", "detail": "…", "fix": "…"}]}
  kay services --json, kay tools list --json
      {"services": [{"name": "jira", "state": "connected", "scopes": {…}, …}]}
      {"tools": [{"name": "jira.search", "access": "read", "input_schema": {…}, …}]}
  kay tools call jira.search --json
      the tool's data; without a connection (exit code 4)
      {"error": {"code": "AUTH_REQUIRED", "integration": "jira", "message": "…"}}
  kay profile list --json
      {"profiles": [{"name": "default", "current": true, "backend": "embedded",
       "signed_in": true, "accounts": {"jira": "…"}}]}
  kay connect jira --no-wait --json
      {"service", "session_id", "authorization_url", "state", "expires_at", "poll"}
  kay connect jira slack --json
      {"connected": [{"service": "jira", "connected": true, …}, …]}

A failure is a document too; see \`kay help exit-codes\`:

  {"status": "error", "error": CODE, "code": CODE, "message": "…", "hint": "…"}

If stderr is not a terminal, warnings are in the document: "warnings": ["…"].

Every document has a JSON Schema (draft 2020-12), also in dist/schemas of kay's
package:

  kay help json connections       # the document of \`kay connections --json\`
  kay help json sessions list
  kay help json ask stream        # each line of \`kay ask --stream\`
  kay help json failure

New versions add fields to documents, but never remove or rename one or change its
type. Ignore fields that you do not know.

--jq: filter the document with jq

  kay connections --jq '.connections | map_values(.connected)'
  id=$(kay ask --jq '.pending[0].id // empty' "close KAY-3")
  kay ask --stream --jq 'select(.type == "text-delta").delta' "…"

kay includes jq, and --jq implies --json. Strings are printed as they are, everything
else as compact JSON, one value per line. JSON Lines are filtered line by line.

An expression that does not compile exits with 2 before the command does anything.
One that fails on the document exits with 1, unless the command has another exit code;
the command has done its work by then. kay stops a filter after 10 seconds, 32 MB of
output or 512 MB of memory. Filters cannot read files or the environment. If the
command fails, there is no document: the message is on stderr.

Rows: the output of tables in a pipe, without --json

One row per item, cells separated by tabs, no header and no color. Tabs and line
breaks in a cell become spaces. New columns are added at the end.

  approvals list   id, duration, approval, account, expiry, last use
  config list      setting, value, source, purpose
  connections      service, state, account or reason, site
  every list       id, time, next run, end of the last run, missed runs, prompt
  log              time, state, service, account, change, link, prompt
  model list       provider, name, state, models, requirement
  pending          id, kind, request, conversation, time left
  policy get       target, mode, meaning
  services         service, state, target, account or reason, site
  services show    field, value
  sessions list    id, title, status, updated
  tools list       tool, access, connected, description
  tools show       one field per row: name, type, required, description
  whoami           service, account, site
`;
