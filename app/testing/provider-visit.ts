import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import { bind, createBrowser } from "./browser.ts"
import { createIdentityProvider, createPair } from "./identity-provider.ts"
import { createMailbox } from "./mailbox.ts"
import { createNetwork, type Remote } from "./network.ts"

let hosts = 0
/** Separate keys, so that neither accepts what the other has signed. */
const pairs = { idp: createPair(), other: createPair() }

type Options = {
  /** Bindings besides those of the providers. */
  changes?: Partial<Env>
  /** More hosts that answer. */
  remotes?: Record<string, Remote>
}

/**
 * A browser, the providers `idp` and `other`, a mailbox, and the network between them. Each provider has a new
 * host, because metadata is cached per issuer.
 */
export async function visitProvider({ changes = {}, remotes = {} }: Options = {}) {
  // Removes the users of the issuers of earlier visits.
  await env.DB.prepare(
    "delete from user where id in (select user_id from account where issuer is not null)",
  ).run()
  const host = `idp-${(hosts += 1)}.example`
  const provider = await createIdentityProvider(host, { pair: pairs.idp })
  const identityProvider = await createIdentityProvider(`other-${host}`, { pair: pairs.other })
  const bound = {
    ...bind({
      IDENTITY_PROVIDERS: JSON.stringify({
        idp: { issuer: provider.issuer, emailDomains: ["*"] },
        other: { issuer: identityProvider.issuer, emailDomains: ["*"] },
      }),
      IDP_CLIENT_ID: "client-at-the-provider",
      IDP_CLIENT_SECRET: "secret at the provider",
      ...changes,
    }),
    IDP_OTHER_CLIENT_ID: "client-at-the-provider",
  }
  const mailbox = createMailbox()
  const browser = createBrowser(bound, null)
  const network = createNetwork({
    [host]: provider.remote,
    [`other-${host}`]: identityProvider.remote,
    "mail.example": mailbox.remote,
    ...remotes,
  })
  const start = async (id = "idp", query: Record<string, string> = {}) => {
    const parameters = new URLSearchParams(query).toString()
    const response = await browser.get(`/api/auth/sign-in/${id}?${parameters}`)
    return response.headers.get("location") ?? ""
  }
  const finish = async (query: Record<string, string> | string[][], id = "idp") => {
    const parameters = new URLSearchParams(query)
    const response = await browser.get(`/api/auth/callback/${id}?${parameters.toString()}`)
    return response.headers.get("location")
  }
  const session = async () => (await browser.get("/api/auth/get-session")).json()
  return {
    bound,
    provider,
    other: identityProvider,
    browser,
    network,
    mailbox,
    start,
    finish,
    session,
  }
}

export type ProviderVisit = Awaited<ReturnType<typeof visitProvider>>
