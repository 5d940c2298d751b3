import { createHash, generateKeyPairSync, randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"

import { Provider, interactionPolicy } from "oidc-provider"
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js"
import * as z from "zod"

import { writeAtomically } from "../../daemon/state-folder.ts"

export const Client = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  redirectUri: z.url({ protocol: /^https?$/ }),
})
export type Client = z.infer<typeof Client>

/** Whom somebody signs in as: whoever sits at this machine chooses. */
export const Person = z.object({
  email: z.email({ pattern: z.regexes.html5Email }).max(254),
  name: z.string().trim().max(100),
  /** A checkbox, which a form sends only when it is ticked. */
  verified: z.literal("on").optional(),
})
export type Person = z.infer<typeof Person>

type Options = {
  issuer: string
  client: Client
  signing: ReturnType<typeof openSigningKeys>
}

/** A person is asked each time, so what `select_account` demands is done like `login`. */
function policyOf() {
  const { base, Prompt } = interactionPolicy
  const policy = base()
  policy.add(new Prompt({ name: "select_account", requestable: true }), 0)
  return policy
}

/**
 * The library would sign in again whoever the browser signed in as before, and ask whether to sign that one out
 * for somebody else: who tries out two people is asked each time, as by a browser that has never been here.
 */
function forgetSession({ headers }: Exchange[0]) {
  const kept = headers.cookie?.split("; ").filter((pair) => !/^_session(?:\.\w+)*=/.test(pair))
  headers.cookie = kept?.join("; ")
}

/** An OpenID provider for one client, with people who exist once somebody signs in as them. */
export function createProvider({ issuer, client, signing }: Options) {
  const people = new Map<string, Person>()
  const provider = new Provider(issuer, {
    adapter: (name) => new MemoryAdapter(name),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [client.redirectUri],
        require_auth_time: true,
      },
    ],
    jwks: { keys: signing.keys },
    cookies: { keys: [signing.cookie] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    // The claims stand in the id_token, as those of well-known providers do.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    interactions: { policy: policyOf(), url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => {
      const person = people.get(sub)
      if (person === undefined) return undefined
      const { email, name, verified } = person
      const claims = { sub, email, email_verified: verified === "on", name }
      return { accountId: sub, claims: () => claims }
    },
  })

  const answer = provider.callback()
  return {
    callback: (...[request, response]: Exchange) => {
      forgetSession(request)
      return answer(request, response)
    },
    interactionDetails: provider.interactionDetails.bind(provider),
    /** Returns where the browser goes next. */
    async signIn(...[request, response, person]: [...Exchange, Person]) {
      const { params } = await provider.interactionDetails(request, response)
      const accountId = createHash("sha256").update(person.email.toLowerCase()).digest("hex")
      people.set(accountId, person)
      const grant = new provider.Grant({ accountId, clientId: client.clientId })
      grant.addOIDCScope(String(params["scope"]))
      const consent = { grantId: await grant.save() }
      const result = { login: { accountId }, select_account: {}, consent }
      return provider.interactionResult(request, response, result)
    },
    refuse: (...[request, response]: Exchange) =>
      provider.interactionResult(request, response, {
        error: "access_denied",
        error_description: "The user refused",
      }),
  }
}

type Exchange = [
  request: Parameters<Provider["interactionResult"]>[0],
  response: Parameters<Provider["interactionResult"]>[1],
]

const Kept = z.object({ keys: z.array(z.record(z.string(), z.unknown())), cookie: z.string() })

/** The keys of the provider, kept in `file`: the service caches the public ones for an hour. */
export function openSigningKeys(file: string): z.infer<typeof Kept> {
  if (existsSync(file)) return Kept.parse(JSON.parse(readFileSync(file, "utf8")))
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig" }
  const kept = { keys: [key], cookie: randomUUID() }
  writeAtomically(file, JSON.stringify(kept))
  return kept
}
