import { createHash, generateKeyPairSync, randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"

import { type Context, Hono } from "hono"
import { html } from "hono/html"
import { HTTPException } from "hono/http-exception"
import { Provider, interactionPolicy } from "oidc-provider"
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js"
import * as z from "zod"

import { rejectionOf } from "../../daemon/listen.ts"
import { writeAtomically } from "../../daemon/state-folder.ts"
import { openKeys, page, parse, policyOf, requireToken, style } from "../http.ts"
import type { Sandbox } from "../sandbox.ts"

/** Node's request and response, which oidc-provider needs. */
const Exchange = z.object({
  incoming: z.instanceof(IncomingMessage),
  outgoing: z.instanceof(ServerResponse),
})

/** The paths that are served here; oidc-provider serves all others. */
const ownPaths = /^\/(?:$|\?|style\.css$|interaction\/|local\/)/

/** The OpenID provider of the local stack: the user of this machine signs in as any person. */
export const openid: Sandbox = {
  name: "openid",
  port: 8793,
  open({ directory, token }) {
    const keys = openKeys(join(directory, "keys.json"), Client)
    const signing = openSigningKeys(join(directory, "signing-keys.json"))
    let created: ReturnType<typeof createProvider> | undefined
    const providerAt = (host: string, client: Client) =>
      (created ??= createProvider({ issuer: issuerAt(host), client, signing }))
    const providerFor = (c: Context) => {
      const client = keys.current()
      if (client === undefined) throw undeployed()
      return providerAt(c.req.header("host") ?? "", client)
    }
    const routes = new Hono()

    routes.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css" }))
    routes.get("/", (c) =>
      c.html(overviewPage(issuerAt(c.req.header("host") ?? ""), startUrl(keys.current()))),
    )
    routes.get("/interaction/:uid", async (c) => {
      await open(c, providerFor(c))
      // Browsers apply form-action to redirects after a form, and these may lead to any host.
      c.header("content-security-policy", policyOf(["http:", "https:"]))
      return c.html(signInPage(c.req.path))
    })
    routes.post("/interaction/:uid/:act{sign-in|refuse}", async (c) => {
      const provider = providerFor(c)
      await open(c, provider)
      const { incoming, outgoing } = Exchange.parse(c.env)
      if (c.req.param("act") === "refuse") {
        return c.redirect(await provider.refuse(incoming, outgoing), 303)
      }
      const person = parse(Person, await c.req.parseBody())
      return c.redirect(await provider.signIn(incoming, outgoing, person), 303)
    })

    routes.use("/local/*", requireToken(token))
    routes.put("/local/keys", async (c) => {
      keys.replace(parse(Client, await c.req.json()))
      created = undefined
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: "/" }))

    routes.all("*", () => {
      throw undeployed()
    })
    return {
      routes,
      answer(request, response) {
        const { headers } = request
        const client = keys.current()
        const isOwn = ownPaths.test(request.url ?? "")
        if (isOwn || client === undefined || rejectionOf(headers)) return false
        void providerAt(headers.host ?? "", client).callback(request, response)
        return true
      },
      close: () => {},
    }
  },
}

function undeployed() {
  const message = "The service has not been deployed yet: no keys"
  return new HTTPException(503, { message })
}

/** Returns the issuer with an IP address, because the service rejects `http://localhost`. */
function issuerAt(host: string) {
  return `http://127.0.0.1:${new URL(`http://${host}`).port}`
}

/** @throws HTTPException 400 unless this browser has a pending sign-in */
async function open(c: Context, provider: ReturnType<typeof createProvider>) {
  const { incoming, outgoing } = Exchange.parse(c.env)
  try {
    await provider.interactionDetails(incoming, outgoing)
  } catch {
    throw new HTTPException(400, { message: "This sign-in is over. Start it again" })
  }
}

/** Returns the URL of a sign-in that ends on a page with the session, so no front end is needed. */
function startUrl(client: Client | undefined): string | undefined {
  if (client === undefined) return undefined
  const { origin, pathname } = new URL(client.redirectUri)
  const query = new URLSearchParams({
    callbackURL: `${origin}/api/auth/get-session`,
    errorCallbackURL: `${origin}/api/v1/docs`,
  })
  return `${origin}${pathname.replace("/callback/", "/sign-in/")}?${query.toString()}`
}

function signInPage(path: string) {
  return page(
    "Sign in",
    html`<p class="note">An identity provider on this machine: sign in with any identity.</p>
      <form method="post" action="${path}/sign-in">
        <p>
          <label>E-mail <input name="email" type="email" value="ada@example.com" required /></label>
        </p>
        <p>
          <label>Name <input name="name" value="Ada" /></label>
        </p>
        <p>
          <label
            ><input name="verified" type="checkbox" checked /> The e-mail address is verified</label
          >
        </p>
        <button>Sign in</button>
      </form>
      <form method="post" action="${path}/refuse"><button>Refuse</button></form>`,
  )
}

/** @param start URL at which the service starts a sign-in; undefined before the service is deployed */
function overviewPage(issuer: string, start: string | undefined) {
  return page(
    "Identity provider",
    html`<p>Issuer: <code>${issuer}</code></p>
      ${
        start === undefined
          ? html`<p class="note">The service has not been deployed yet.</p>`
          : html`<p><a href="${start}">Sign in with it</a>, and see the session.</p>`
      }`,
  )
}

const Client = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  redirectUri: z.url({ protocol: /^https?$/ }),
})
type Client = z.infer<typeof Client>

/** The identity that a developer enters to sign in. */
const Person = z.object({
  email: z.email({ pattern: z.regexes.html5Email }).max(254),
  name: z.string().trim().max(100),
  /** A checkbox: browsers send it only if it is checked. */
  verified: z.literal("on").optional(),
})
type Person = z.infer<typeof Person>

type Options = {
  issuer: string
  client: Client
  signing: ReturnType<typeof openSigningKeys>
}

/** Adds the prompt `select_account`. Each sign-in asks for an identity, so the login page also fulfils this prompt. */
function promptPolicy() {
  const { base, Prompt } = interactionPolicy
  const policy = base()
  policy.add(new Prompt({ name: "select_account", requestable: true }), 0)
  return policy
}

/**
 * Removes the library's session cookie from a request, so that each sign-in asks for an identity. Otherwise the
 * library would reuse the previous identity, and a developer could not easily try two.
 */
function forgetSession({ headers }: NodeExchange[0]) {
  const cookiePairs = headers.cookie
    ?.split("; ")
    .filter((pair) => !/^_session(?:\.\w+)*=/.test(pair))
  headers.cookie = cookiePairs?.join("; ")
}

/** Creates an OpenID provider for one client. A person exists from the first sign-in. */
function createProvider({ issuer, client, signing }: Options) {
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
    // Puts the claims into the ID token, as well-known providers do.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    interactions: { policy: promptPolicy(), url: (_context, { uid }) => `/interaction/${uid}` },
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
    callback: (...[request, response]: NodeExchange) => {
      forgetSession(request)
      return answer(request, response)
    },
    interactionDetails: provider.interactionDetails.bind(provider),
    /** Returns the URL to redirect the browser to. */
    async signIn(...[request, response, person]: [...NodeExchange, Person]) {
      const { params } = await provider.interactionDetails(request, response)
      const accountId = createHash("sha256").update(person.email.toLowerCase()).digest("hex")
      people.set(accountId, person)
      const grant = new provider.Grant({ accountId, clientId: client.clientId })
      grant.addOIDCScope(String(params["scope"]))
      const consent = { grantId: await grant.save() }
      const result = { login: { accountId }, select_account: {}, consent }
      return provider.interactionResult(request, response, result)
    },
    refuse: (...[request, response]: NodeExchange) =>
      provider.interactionResult(request, response, {
        error: "access_denied",
        error_description: "The user refused",
      }),
  }
}

type NodeExchange = [
  request: Parameters<Provider["interactionResult"]>[0],
  response: Parameters<Provider["interactionResult"]>[1],
]

const Kept = z.object({ keys: z.array(z.record(z.string(), z.unknown())), cookie: z.string() })

/** Reads the provider's keys from `file`, or creates them. They must persist: the service caches them for an hour. */
function openSigningKeys(file: string): z.infer<typeof Kept> {
  if (existsSync(file)) return Kept.parse(JSON.parse(readFileSync(file, "utf8")))
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig" }
  const sessionKeys = { keys: [key], cookie: randomUUID() }
  writeAtomically(file, JSON.stringify(sessionKeys))
  return sessionKeys
}
