import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
import type { Identity } from "../oauth.ts";
import type { ServiceHttp } from "../service-http.ts";
import { defineTool } from "../tool.ts";

const Input = z.object({});

/** OpenID Connect Core 5.1, with LinkedIn's `locale` as an object. */
const UserInfo = z.looseObject({
  sub: z.string().check(z.minLength(1)),
  name: z.nullish(z.string()),
  given_name: z.nullish(z.string()),
  family_name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  picture: z.nullish(z.string()),
  locale: z.nullish(
    z.union([z.string(), z.looseObject({ country: z.nullish(z.string()), language: z.nullish(z.string()) })]),
  ),
});

/**
 * Returns the account that signed in. Posts are made as this `person`. Source:
 * https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export async function fetchLinkedinIdentity(http: ServiceHttp): Promise<Identity> {
  const { sub, name, email, picture } = await fetchUserInfo(http);
  return {
    accountId: sub,
    user: { account_id: sub, name, email, picture },
    metadata: { url: http.endpoints.web, person: `urn:li:person:${sub}` },
  };
}

/** Source: GET /v2/userinfo. */
export const getProfileTool = defineTool({
  name: "linkedin.me",
  description: "Show which LinkedIn account is connected.",
  access: "read",
  input: Input,
  examples: [
    "show my linkedin account",
    "show my linkedin profile",
    "which linkedin account is connected",
    "who am I on linkedin",
  ],
  summary: () => "Read the connected LinkedIn account",
  async run(_input, context) {
    const { sub, name, email, locale } = await fetchUserInfo(context.http);
    const language =
      typeof locale === "string" ? locale : [locale?.language, locale?.country].filter(Boolean).join("-");
    const facts = [email && `- E-mail: ${escapeCell(email)}`, language && `- Language: ${escapeCell(language)}`].filter(
      Boolean,
    );
    return {
      data: { id: sub, name: name ?? null, email: email ?? null, language: language || null },
      text: [`**${escapeCell(name ?? email ?? sub)}** on LinkedIn`, facts.join("\n")].filter(Boolean).join("\n\n"),
    };
  },
});

async function fetchUserInfo(http: ServiceHttp): Promise<z.output<typeof UserInfo>> {
  const info = await http.request({ path: "/v2/userinfo", answer: UserInfo, scope: "openid profile" });
  const parts = [info.given_name, info.family_name].filter(Boolean).join(" ");
  return { ...info, name: info.name || parts || undefined };
}
