import { auth } from "@googleapis/calendar";
import { REDIRECT } from "../stand-in.ts";
import { serveSandbox } from "./served.ts";

const AUTH = "https://www.googleapis.com/auth/";

/** Options of every Google client: signed in by Google's own OAuth client, at the stand-in. */
export async function options(...scopes: string[]) {
  const world = await serveSandbox("google");
  const { id: clientId, secret: clientSecret } = world.clients.google;
  const endpoints = { oauth2TokenUrl: `${world.url}/token` };
  const client = new auth.OAuth2({ clientId, clientSecret, redirectUri: REDIRECT, endpoints });
  const scope = scopes.map((name) => AUTH + name).join(" ");
  const offline = { access_type: "offline", prompt: "consent" };
  const { tokens } = await client.getToken(await world.code("google", scope, undefined, offline));
  client.setCredentials(tokens);
  return { client, auth: client, rootUrl: `${world.url}/`, retry: false };
}
