/** Text of `kay help json`. */
export const JSON_TOPIC = `
JSON

With --json, stdout is exactly one JSON document and a newline; everything else
goes to stderr. Names are those of the wire.

  kay connections --json
      {"connections": {"jira": {"connected": true, "user": {…}, "metadata": {…}}}}
  kay ask --json "…"
      {"status": "completed", "message": "…", "data": {…}, "generation_id": "…",
       "receipts": [{"effect": "settled", "summary": "…", "url": "…"}]}
      {…, "status": "pending", "pending": [{"id": "…", "kind": "approval", "request": {…},
       "answer": ["kay answer … --approve", …]}]} where it stops, with exit code 8
  kay ask --json --stream "…", kay attach --json
      JSON Lines, one for each part as it comes: {"type", "session_id", "timestamp", …};
      an answer that comes whole is {"type": "answer", …}, and what ends it with a
      failure {"type": "error", …}
  kay pending --json
      {"pending": [{"id", "kind", "session_id", "generation_id", "expires_at", "answer", …}]}
  kay approvals list --json, kay policy get --json
      {"approvals": [{"id", "scope", "tool", "words", …}]}
      {"policies": [{"target": "slack", "mode": "ask"}]}
  kay sessions list --json, kay sessions show latest --json
      {"data": [{"id", "title", "status", …}], "page", "limit", "total", "has_more"}
      {"id", "title", …, "events": [{"number": 1, "type": "…", …}]}
  kay ask --confirm --json "…", which exits 8
      {"status": "confirmation_required", "confirmation_token": "…", "message": "…"}
  kay doctor --json, which exits 1 when something failed
      {"ok": false, "checks": [{"id": "clock", "state": "failed", "detail": "…", "fix": "…"}]}
  kay services --json, kay tools list --json
      {"services": [{"name": "jira", "state": "connected", "scopes": {…}, …}]}
      {"tools": [{"name": "jira.search", "access": "read", "input_schema": {…}, …}]}
  kay tools call jira.search --json
      the tool's data; without a connection, with exit code 4,
      {"error": {"code": "AUTH_REQUIRED", "integration": "jira", "message": "…"}}
  kay profile list --json
      {"profiles": [{"name": "default", "current": true, "backend": "embedded",
       "signed_in": true, "accounts": {"jira": "…"}}]}
  kay connect jira --no-wait --json
      {"service", "session_id", "authorization_url", "state", "expires_at", "poll"}
  kay connect jira slack --json
      {"connected": [{"service": "jira", "connected": true, …}, …]}

A failure is one document too, with the exit code of \`kay help exit-codes\`:

  {"status": "error", "error": CODE, "code": CODE, "message": "…", "hint": "…"}

Warnings travel inside the document, as "warnings": ["…"], where stderr is no
terminal.

Every document has a JSON Schema (draft 2020-12), which kay also has as a file, in
dist/schemas of its package:

  kay help json connections       # of what \`kay connections --json\` prints
  kay help json sessions list
  kay help json ask stream        # of each line of \`kay ask --stream\`
  kay help json failure

Fields are added to documents, but none is taken away, renamed or given another
type. A program passes over what it does not know.

--jq: what jq makes of the document

  kay connections --jq '.connections | map_values(.connected)'
  id=$(kay ask --jq '.pending[0].id // empty' "close KAY-3")
  kay ask --stream --jq 'select(.type == "text-delta").delta' "…"

It is jq itself, and brings --json with it. A string is printed as it is, everything
else as compact JSON, one value on a line. Of JSON Lines each line is filtered as it
comes.

An expression that does not compile is exit code 2, before anything is done. One
that fails on the document is exit code 1, unless the command ended with another
one: what it was to do is done then. One that has no end is ended after 10 seconds,
32 MB of output or 512 MB of memory. It reads no file, and no environment. A failure
of the command has no document then: its sentence is on stderr.

Rows: what a pipe gets of a table without --json

One row for each item, its cells with a tab between, without header and colour. Tabs
and line breaks within a cell are spaces. New columns come at the end.

  approvals list   id, lasts, what, account, until, last used
  config list      setting, value, where it comes from, what it is for
  connections      service, state, account or reason, site
  model list       provider, name, state, models, what it needs
  pending          id, kind, what, conversation, expires in
  policy get       target, mode, what that means
  services         service, state, target, account or reason, site
  services show    field, value
  sessions list    id, title, status, updated
  tools list       tool, access, connected, what it does
  tools show       a field on a row: name, type, required, what it is
  whoami           service, account, site
`;
