#!/usr/bin/env bash
# A journey through kay with JSON and exit codes alone: connect, ask, confirm, answer, export, and every kind of failure.
#
#   journey.sh                 uses the sandbox, whose demo user consents
#   CONSENT=open journey.sh    prints each link instead; open it within ten minutes
#
# It prints one line per step, and exits 0 if every step ended as expected.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Print one field of the JSON document on stdin, by its path; nothing if it is absent.
field() { node -p 'process.argv[1].split(".").reduce((at, name) => at?.[name], JSON.parse(fs.readFileSync(0, "utf8"))) ?? ""' "$1"; }

# Run a command and compare its exit code. Its document is in $out; `show` names the field to print.
step() {
  local title=$1 wanted=$2 show=$3 code told=
  shift 3
  out=$("$@" --json </dev/null 2>"$work/stderr")
  code=$?
  [[ -z $show || -z $out ]] || told=$(field "$show" <<<"$out")
  report "$title" "$wanted" "$code" "$told"
}

report() {
  local title=$1 wanted=$2 code=$3 told=$4
  printf 'exit %-3s  %-31s  %s\n' "$code" "$title" "${told//$'\n'*/}"
  [[ $code == "$wanted" ]] && return
  printf '  expected %s: %s\n' "$wanted" "$(cat "$work/stderr")" >&2
  failed=1
}

# Consent as a user does in the browser. The sandbox accepts the answer without one.
consent() {
  local url=$1 decision=$2 answer
  if [[ ${CONSENT:-} == open ]]; then
    printf 'Open this link, and answer %s: %s\n' "$decision" "$url" >&2
    return
  fi
  answer=$(curl --silent --fail --data "{\"authorization_url\": \"$url\", \"decision\": \"$decision\"}" \
    "$(node -p 'new URL(process.argv[1]).origin' "$url")/_sandbox/consent")
  curl --silent --output "$work/page" "$(field redirect_url <<<"$answer")"
}

# Start a connection, consent, and finish.
connect() {
  local service=$1 decision=$2 wanted=$3 show=$4
  step "$service: a link" 0 service kay connect "$service" --no-wait
  consent "$(field authorization_url <<<"$out")" "$decision"
  step "$service: $decision" "$wanted" "$show" kay connect "$service" --poll "$(field state <<<"$out")"
}

# Start a command that waits for a consent, and send it a signal once it waits.
interrupted() {
  local title=$1 signal=$2 wanted=$3 pid
  shift 3
  : >"$work/stderr"
  "$@" --json </dev/null >"$work/stdout" 2>"$work/stderr" &
  pid=$!
  for _ in {1..300}; do
    grep -q '^http' "$work/stderr" && break
    sleep 0.1
  done
  kill -s "$signal" "$pid"
  wait "$pid"
  report "$title" "$wanted" $? "SIG$signal"
}

# Before the first sign-in
step "not signed in" 4 code kay whoami
step "wrong usage" 2 code kay connect
KAY_API_URL=http://127.0.0.1:9 step "an unreachable backend" 6 code kay connect jira --no-wait

# Connect
connect jira allow 0 user.name
connect confluence deny 5 code
step "jira is connected" 0 connected kay connections --check jira
step "slack is not connected" 4 connected kay connections --check slack
step "the default policy" 0 "" kay policy set jira unset

# Ask
step "a question" 0 status kay ask "what is open in project KAY?"
conversation=$(field session_id <<<"$out")
step "a tool" 0 issues.length kay tools call jira.search --field project=KAY
step "an unknown tool" 1 code kay tools call jira.sing

# A request that needs another service stops and names it
step "a request that needs slack" 8 pending.0.auth.integrations.0 kay ask "tell #general what is open in KAY"
waiting=$(field pending.0.id <<<"$out")
step "an answer without a connection" 4 integrations.0 kay answer "$waiting"
step "cancelled" 0 status kay answer "$waiting" --cancel

# A change stops at an approval, which any process can answer
step "every change asks" 0 policies.0.mode kay policy set jira ask
step "a change" 8 pending.0.kind kay ask --resume "$conversation" "close KAY-3"
step "approved" 0 receipts.0.summary kay answer "$(field pending.0.id <<<"$out")" --approve
step "another change" 8 pending.0.kind kay ask "close KAY-4"
denied=$(field session_id <<<"$out")
step "denied" 0 status kay answer "$(field pending.0.id <<<"$out")" --deny --reason "not today"
step "a request that was denied" 5 "" kay attach "$denied"
step "no open requests" 0 pending.length kay pending
step "the default policy again" 0 policies.length kay policy set jira unset

# With --confirm, the whole plan waits for an approval
step "a plan" 8 status kay ask --confirm "close KAY-5"
token=$(field confirmation_token <<<"$out")
step "confirmed" 0 receipts.0.summary kay confirm "$token" --approve
step "a used token" 1 code kay confirm "$token" --approve
step "another plan" 8 status kay ask --confirm "close KAY-12"
step "plan denied" 0 status kay confirm "$(field confirmation_token <<<"$out")" --deny

# Export
step "the conversation" 0 file kay sessions export "$conversation" --format md --output "$work/conversation.md"
step "an existing file" 2 code kay sessions export "$conversation" --format md --output "$work/conversation.md"
grep -q "KAY-3 is now Done" "$work/conversation.md" || failed=1

# Signals
interrupted "Ctrl+C while waiting" INT 130 kay connect bitbucket
interrupted "SIGTERM while waiting" TERM 143 kay connect bitbucket

# Sign out
step "sign out" 0 signed_out kay logout
step "signed out" 4 code kay whoami

exit "$failed"
