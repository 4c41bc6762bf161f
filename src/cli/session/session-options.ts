/**
 * This process among those that follow a conversation: one id and one name for all its connections. Whether it answers may change while it
 * follows; then each connection to come says so.
 */
export type SessionClient = { id: string; name: string; interaction: { supported: boolean; enabled: boolean } };

/** How a session begins: in which conversation, and who it is to others. */
export type SessionOptions = { resume?: string; client: SessionClient };

/** How it is called by others, and whether it only reads along. */
export type ClientOptions = { name?: string; readOnly?: boolean };
