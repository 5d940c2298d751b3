import { createAuthEndpoint, isAPIError } from "better-auth/api"
import { createAuthorizationURL } from "better-auth/oauth2"
import * as z from "zod"

import type { Configuration } from "../../platform/configuration/configuration.ts"
import type { IdentityProvider } from "../../platform/configuration/provider.ts"
import { sign } from "../../platform/cookie/cookie.ts"
import { type EndpointContext, withHostCookies } from "../../platform/cookie/host-cookie.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { log, reasonOf } from "../../platform/http/log.ts"
import { Unavailable } from "../../platform/http/outbound.ts"
import { addQuery } from "../../platform/http/redirect.ts"
import {
  isProven,
  provenSession,
  provenSince,
  readSession,
} from "../../session/assurance/assurance.ts"
import { type Dependencies, type Path, post, trustedUrl } from "../../session/endpoint.ts"
import { enterAccount } from "../../session/session-opening.ts"
import { doubtOf, isAuthority, profileOf } from "./claims.ts"
import { enter } from "./enter.ts"
import { addIdentity, type Identity } from "./identity.ts"
import { clockTolerance, exchange, nonceOf, serverOf } from "./protocol.ts"
import { type SignInError, signInErrorList, SignInFailure } from "./sign-in-error.ts"
import { openState, sealState, type SignInState } from "./sign-in-state.ts"

/** An empty page is none. */
const Page = trustedUrl.transform((page) => (page === "" ? undefined : page)).optional()

const Start = z.object({
  callbackURL: Page,
  errorCallbackURL: Page,
  newUserCallbackURL: Page,
  // On a shared computer the provider would let the previous user in again without a question.
  prompt: z
    .enum(["login", "select_account", "consent"])
    .optional()
    .describe("What the provider asks, also of somebody who is signed in there"),
  loginHint: z.string().max(254).optional().describe("The address that the provider fills in"),
})

type Start = z.infer<typeof Start>

/* A parameter that comes twice is none: a person who came here from a provider cannot repair it. */
const parameter = z.string().optional().catch(undefined)

const Callback = z.object({
  code: parameter,
  state: parameter,
  iss: parameter,
  error: parameter,
  name: parameter,
})

export const providerPaths = {
  start: {
    path: "/sign-in/:provider",
    methods: ["GET"],
    is: ["open"],
    id: "signInWithProvider",
    summary: "Start signing in with an identity provider",
    description:
      "Navigate the browser to this URL; do not fetch it. If the provider cannot be reached, it redirects to errorCallbackURL with ?error=provider_unavailable.",
    query: Start,
    cookie: "The sealed state of this sign-in",
    errors: ["PROVIDER_NOT_FOUND"],
  },
  callback: {
    path: "/callback/:id",
    methods: ["GET", "POST"],
    is: ["open"],
    id: "returnFromProvider",
    summary: "Finish signing in with an identity provider",
    description: `The identity provider redirects here (one that answers by a form comes by postFromProvider). Sets the session cookie and redirects to callbackURL. Every failure redirects to errorCallbackURL, or to the front end where the sign-in is not known, with ?error= and one of these codes:\n\n${signInErrorList}`,
    query: Callback.omit({ name: true }),
    cookie: "The session, after a success; ends the state of this sign-in",
  },
  link: {
    path: "/link-social",
    body: z.object({ provider: z.string(), ...Start.omit({ newUserCallbackURL: true }).shape }),
    id: "linkIdentity",
    summary: "Add an identity provider to your ways to sign in",
    description:
      "Asks for a step-up. Navigate the browser to the URL of the answer; it ends at callbackURL, or at errorCallbackURL with ?error= and a code of returnFromProvider.",
    output: z.object({ url: z.url(), redirect: z.boolean() }),
    cookie: "The sealed state of this sign-in",
    errors: ["PROVIDER_NOT_FOUND", "STEP_UP_REQUIRED"],
  },
} as const satisfies Record<string, Path>

/**
 * Sign-in through OpenID Connect at the paths that the specification requires. The library's generic
 * plugin starts by POST, uses another callback path and does not verify the id_token.
 */
export function openidSignIn(dependencies: Dependencies) {
  const { configuration } = dependencies
  const { identityProviders, webUrl, keys } = configuration
  const find = (id: string) => identityProviders.find((candidate) => candidate.id === id)

  /** Returns where the browser goes: the provider, or the page for a failure. */
  const begin = (context: EndpointContext, id: string, start: Start, addTo?: string) => {
    const provider = find(id)
    if (provider === undefined) throw createApiError("PROVIDER_NOT_FOUND")
    const { callbackURL = webUrl, errorCallbackURL = webUrl, newUserCallbackURL } = start
    const { prompt, loginHint } = start
    return orFailTo({ context, configuration, page: errorCallbackURL }, id, async () => {
      const { authorization_endpoint: authorizationEndpoint = "" } = await metadataOf(provider)
      const { state, codeVerifier } = await sealState(context, keys, {
        provider: id,
        callbackURL,
        errorURL: errorCallbackURL,
        newUserURL: newUserCallbackURL,
        asksSince: prompt === "login" ? Date.now() : undefined,
        addTo,
      })
      const url = await createAuthorizationURL({
        id,
        options: { clientId: provider.clientId },
        authorizationEndpoint,
        state,
        codeVerifier: provider.hasPkce ? codeVerifier : undefined,
        scopes: provider.scopes,
        prompt,
        loginHint,
        redirectURI: redirectUriOf(context, id),
        // Apple sends an e-mail address and a name by a form alone.
        responseMode: provider.apple && "form_post",
        additionalParams: {
          ...(!provider.plain && { nonce: nonceOf(codeVerifier) }),
          // Then a provider has to say when it has asked.
          ...(prompt === "login" && { max_age: "0" }),
        },
      })
      return url.toString()
    })
  }

  const { start, link, callback } = providerPaths

  const signInProvider = createAuthEndpoint(
    start.path,
    { method: "GET", query: Start },
    async (context) => {
      throw context.redirect(await begin(context, context.params.provider, context.query))
    },
  )

  /** A call of the front end, not a page: a link to it must not add the account of the browser's user there. */
  const linkSocialAccount = post(link, provenSession(dependencies), async (context) => {
    const { provider, ...pages } = context.body
    const url = await begin(context, provider, pages, context.context.session.user.id)
    return context.json({ url, redirect: true })
  })

  const callbackOAuth = createAuthEndpoint(
    callback.path,
    { method: "GET", query: Callback },
    async (context) => {
      const { params, query } = context
      const provider = find(params.id)
      const state = await openState(context, keys, query.state)
      if (typeof state === "string") {
        // Without the sign-in that it belongs to, its page is not known.
        const code = provider === undefined ? "provider_not_found" : state
        throw context.redirect(failTo({ context, configuration, page: webUrl }, code))
      }
      const way = { context, configuration, page: state.errorURL }
      const target = await orFailTo(way, params.id, async () => {
        if (provider === undefined) throw new SignInFailure("provider_not_found")
        return finishWith({ context, provider, state, query, ...dependencies })
      })
      throw context.redirect(target)
    },
  )

  return { signInProvider, linkSocialAccount, callbackOAuth }
}

function redirectUriOf({ context }: EndpointContext, id: string) {
  return `${context.baseURL}/callback/${id}`
}

type Return = Dependencies & {
  context: EndpointContext
  provider: IdentityProvider
  state: SignInState
  query: z.infer<typeof Callback>
}

/**
 * Sets the session cookie, and returns where to go.
 * @throws SignInFailure
 */
async function finishWith(options: Return) {
  const { context, provider, state, query } = options
  // Mix-up attack: a sign-in that started at one provider must not finish at another.
  if (state.provider !== provider.id) throw new SignInFailure("state_mismatch")
  const server = await metadataOf(provider)
  const { codeVerifier } = state
  const redirectUri = redirectUriOf(context, provider.id)
  const redeemed = exchange({ provider, server, query, codeVerifier, redirectUri })
  const { issuer, claims } = await redeemed.catch((cause: unknown) => {
    if (cause instanceof SignInFailure) throw cause
    const code = cause instanceof Unavailable ? "provider_unavailable" : "invalid_code"
    throw new SignInFailure(code, { cause })
  })
  const shownAt = freshnessOf(claims.auth_time, state.asksSince)
  const identity = { providerId: provider.id, issuer, subject: claims.sub }
  if (state.addTo !== undefined) {
    await add(options, identity)
    return state.callbackURL
  }
  // Says nothing about members who have signed in before: they are known by issuer and subject.
  const doubt = doubtOf(provider, claims)
  const email = doubt === undefined ? (claims.email ?? "") : ""
  const { isRegister, ...entry } = await enter({
    ...options,
    identity,
    doubt,
    profile: profileOf(claims, email, provider.apple && query.name),
    isAuthority: isAuthority(provider, email, claims),
    shownAt,
    page: state.callbackURL,
  })
  await enterAccount(context, options, { ...entry, isKnown: false })
  return isRegister ? (state.newUserURL ?? state.callbackURL) : state.callbackURL
}

/**
 * Returns when the user signed in at the provider: known only if this service asked for that, and the provider
 * says when it was (OpenID Connect Core, 2, `auth_time`). A browser that is signed in there is let in unasked.
 * @param authTime seconds
 */
function freshnessOf(authTime: number | undefined, asksSince: number | undefined) {
  if (asksSince === undefined || authTime === undefined) return null
  const shownAt = authTime * 1000
  if (shownAt < asksSince - clockTolerance * 1000) throw new SignInFailure("login_required")
  return new Date(Math.min(Date.now(), shownAt))
}

/** Adds the identity to the account that is signed in here and asked for it, if its session is still proven. */
async function add(options: Return, identity: Identity) {
  const { context, state, configuration } = options
  const { session } = (await readSession(options, context)) ?? {}
  if (session === undefined || session.userId !== state.addTo) {
    throw new SignInFailure("state_mismatch")
  }
  const { headers } = context
  const since = provenSince(configuration, headers, session.token)
  if (!isProven(session.provenAt, since)) throw new SignInFailure("step_up_required")
  const isAdded = await addIdentity(options, { identity, session, headers })
  if (!isAdded) throw new SignInFailure("account_not_linked")
}

type Way = { context: EndpointContext; configuration: Configuration; page: string }

/** Tells a page of this service in a cookie, any other page in its query. */
function failTo({ context, configuration, page }: Way, error: SignInError, reason?: string) {
  const failure = { error, ...(reason && { reason }) }
  const { pages, url, keys } = configuration
  const { origin, pathname } = new URL(page)
  const isPage = pages && origin === url && !pathname.startsWith("/api/")
  if (!isPage) return addQuery(page, failure)
  const { name, attributes } = withHostCookies(context).context.createAuthCookie("page_message")
  const value = sign(new URLSearchParams(failure).toString(), keys.first("page_message"))
  context.setCookie(name, value, { ...attributes, maxAge: 60 })
  return page
}

/** Returns what the action does, or the page for its failure: never a page of the library. */
async function orFailTo(way: Way, provider: string, action: () => Promise<string>) {
  try {
    return await action()
  } catch (error) {
    if (error instanceof SignInFailure) {
      const { code, reason, cause } = error
      const line = { provider, code, ...(cause !== undefined && { reason: reasonOf(cause) }) }
      // A second factor is no refusal: the sign-in goes on.
      if (code !== "second_factor_required") log("warn", "provider.refused", line)
      return failTo(way, code, reason)
    }
    // Others are the library's, whose redirects lead to a page that this sign-in did not choose.
    const reason = isAPIError(error) ? "the library refused" : reasonOf(error)
    log("error", "provider.failed", { provider, reason })
    return failTo(way, "internal_server_error")
  }
}

async function metadataOf(provider: IdentityProvider) {
  return serverOf(provider).catch((cause: unknown) => {
    throw new SignInFailure("provider_unavailable", { cause })
  })
}
