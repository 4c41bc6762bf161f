/** Codes of RFC 6749 section 5.2, RFC 7591 section 3.2.2 and RFC 8707 section 2 that kay answers. */
type Code =
  | "invalid_request"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unsupported_grant_type";

/**
 * A refused request of a program, in the form OAuth clients read. The message is one sentence for its developer or
 * user.
 */
export class OAuthError extends Error {
  readonly code: Code;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Converts a refusal to its answer. Throws any other error again. */
export function toOAuthResponse(error: unknown): Response {
  if (!(error instanceof OAuthError)) throw error;
  return Response.json({ error: error.code, error_description: error.message }, { status: 400 });
}
