/**
 * This process as a follower of a conversation, with one ID and name for all its connections. Whether it answers may
 * change; later connections then report it.
 */
export type SessionClient = { id: string; name: string; interaction: { supported: boolean; enabled: boolean } };

/** Options of a session: its conversation, and its name for other clients. */
export type SessionOptions = { resume?: string; client: SessionClient };

/** Options of the client: its name for others, and whether it only reads. */
export type ClientOptions = { name?: string; readOnly?: boolean };
