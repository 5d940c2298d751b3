import { createServer } from "node:http"

import { Provider } from "oidc-provider"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Issuer of a real OpenID provider on localhost. */
    openidIssuer: string
  }
}

/** Runs in Node, because the oidc-provider package cannot run in workerd. */
export default async function setUp(project: TestProject) {
  // Never close an idle connection: a request may just be going out on it.
  const server = createServer({ keepAliveTimeout: 0 })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  const issuer = `http://127.0.0.1:${address.port}`
  const provider = createProvider(issuer)
  const answer = provider.callback()
  server.on("request", (request, response) => {
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? "")?.[1]
    void (uid === undefined ? answer(request, response) : consent(provider, request, response))
  })
  project.provide("openidIssuer", issuer)
  return async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

function createProvider(issuer: string) {
  const client = {
    client_secret: "a secret with spaces & signs",
    redirect_uris: ["http://localhost:8787/api/auth/callback/idp"],
  }
  return new Provider(issuer, {
    clients: [
      { ...client, client_id: "accounts" },
      // Client for a provider with only OAuth.
      { ...client, client_id: "plain", token_endpoint_auth_method: "client_secret_post" },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Interaction: 60, Session: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: "Lin" }),
    }),
  })
}

type Exchange = Parameters<Provider["interactionFinished"]>

/** Logs in and consents like a person. */
async function consent(provider: Provider, request: Exchange[0], response: Exchange[1]) {
  const { prompt, params } = await provider.interactionDetails(request, response)
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "lin" } })
  }
  const grant = new provider.Grant({ accountId: "lin", clientId: String(params["client_id"]) })
  grant.addOIDCScope(String(params["scope"]))
  const grantId = await grant.save()
  return provider.interactionFinished(request, response, { consent: { grantId } })
}
