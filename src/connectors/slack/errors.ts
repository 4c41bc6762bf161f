import type { ApiErrors } from "../service.ts";

/** The token no longer works. Without rotation, only a new consent helps. */
const SIGN_IN = { status: 401 };
const BUSY = { status: 429 };

/**
 * Slack reports failures as 200 `{"ok": false, "error": "…"}`. Maps each code to its status and sentence.
 * `internal_error` and `fatal_error` may have done part of the work. Source: the error tables of each method, such as
 * https://docs.slack.dev/reference/methods/chat.postMessage/
 */
export const SLACK_ERRORS: ApiErrors = {
  flag: "ok",
  code: "error",
  codes: {
    invalid_auth: SIGN_IN,
    not_authed: SIGN_IN,
    token_revoked: SIGN_IN,
    token_expired: SIGN_IN,
    account_inactive: SIGN_IN,
    two_factor_setup_required: SIGN_IN,
    ratelimited: BUSY,
    rate_limited: BUSY,
    message_limit_exceeded: BUSY,
    missing_scope: { status: 403 },
    not_in_channel: {
      status: 403,
      message: "this account is not in that channel",
      hint: "Join the channel in Slack (`/join #channel`), then try again.",
    },
    channel_not_found: {
      status: 404,
      message: "the channel does not exist, or this account cannot see it",
      hint: "Check the name; a private channel is open to its members only.",
    },
    user_not_found: { status: 404, message: "the workspace has no such user" },
    users_not_found: { status: 404, message: "the workspace has no such user" },
    message_not_found: { status: 404, message: "the channel has no such message" },
    thread_not_found: { status: 404, message: "the channel has no such message" },
    is_archived: {
      status: 403,
      message: "that channel is archived, so nothing can be written there",
      hint: "Use another channel, or ask for it to be unarchived.",
    },
    restricted_action: { status: 403, message: "a rule of this workspace does not allow this account to post there" },
    restricted_action_read_only_channel: { status: 403, message: "that channel is read-only for this account" },
    cannot_dm_bot: { status: 400, message: "bots cannot receive messages" },
    no_text: { status: 400, message: "the message must not be empty" },
    msg_too_long: { status: 400, message: "the message is too long" },
    invalid_name: {
      status: 400,
      message: "no emoji has that name",
      hint: "Use the name of a Slack emoji, such as eyes.",
    },
    already_reacted: { status: 409, message: "this account has already reacted with that emoji" },
    too_many_emoji: { status: 409, message: "the message has as many different reactions as Slack allows" },
    ekm_access_denied: { status: 403, message: "administrators have suspended writing in this workspace" },
    access_denied: { status: 403 },
    accesslimited: { status: 403, message: "this network may not use Slack's API" },
    team_access_not_granted: { status: 403, message: "the app has no access to that workspace" },
    no_permission: { status: 403, message: "this account may not do that in this workspace" },
    not_allowed_token_type: { status: 403, message: "Slack does not offer that to this kind of connection" },
    user_is_restricted: { status: 403, message: "guest accounts may not do that" },
    enterprise_is_restricted: { status: 403, message: "Slack does not offer that in this Enterprise organization" },
    file_uploads_disabled: { status: 403, message: "administrators have turned off uploads in this workspace" },
    storage_limit_reached: { status: 403, message: "the workspace's storage is full" },
    org_login_required: { status: 423, message: "the workspace is being moved to an Enterprise organization" },
    team_added_to_org: { status: 423, message: "the workspace is being moved to an Enterprise organization" },
    method_deprecated: { status: 426, message: "Slack no longer offers that method" },
    deprecated_endpoint: { status: 426, message: "Slack no longer offers that method" },
    request_timeout: { status: 500, message: "Slack did not receive the whole request" },
    internal_error: { status: 500, message: "something failed inside Slack" },
    fatal_error: { status: 500, message: "something failed inside Slack" },
    service_unavailable: { status: 503, message: "the service is currently unavailable" },
  },
};
