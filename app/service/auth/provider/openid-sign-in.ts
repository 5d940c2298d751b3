import { createAuthEndpoint, getSessionFromCtx, isAPIError } from "better-auth/api"
import { setSessionCookie } from "better-auth/cookies"
import { createAuthorizationURL } from "better-auth/oauth2"
import * as z from "zod"

import { log, reasonOf } from "../../http/log.ts"
import { Unavailable } from "../../http/outbound.ts"
import { createApiError } from "../api-error.ts"
import { provenSession } from "../assurance/assurance.ts"
import { providerHints } from "../bodies.ts"
import type { EndpointContext } from "../cookie/host-cookie.ts"
import type { Dependencies } from "../dependencies.ts"
import { post } from "../endpoint.ts"
import { addIdentity } from "./add-identity.ts"
import { doubtOf, isAuthority, profileOf } from "./claims.ts"
import { exchange, nonceOf } from "./code-exchange.ts"
import { discover } from "./discovery.ts"
import { enter } from "./enter.ts"
import type { Identity } from "./identity.ts"
import type { IdentityProvider } from "./provider.ts"
import { errorOfProvider, SignInFailure, withError } from "./sign-in-error.ts"
import { openState, sealState, type SignInState } from "./sign-in-state.ts"

/** An empty page is none. */
const Page = z
  .string()
  .transform((page) => (page === "" ? undefined : page))
  .optional()

const Start = z.object({
  callbackURL: Page,
  errorCallbackURL: Page,
  newUserCallbackURL: Page,
  ...providerHints,
})

type Start = z.infer<typeof Start>

/* A parameter that comes twice is none: nobody who came here from a provider can mend it. */
const parameter = z.string().optional().catch(undefined)

const Callback = z.object({
  code: parameter,
  state: parameter,
  error: parameter,
  iss: parameter,
  name: parameter,
})

/**
 * Sign-in through OpenID Connect at the paths that the specification requires. The library's generic
 * plugin starts by POST, uses another callback path and does not verify the id_token.
 */
export function openidSignIn(dependencies: Dependencies) {
  const { identityProviders, webUrl, keys } = dependencies.configuration
  const find = (id: string) => identityProviders.find((candidate) => candidate.id === id)

  /** Returns where the browser goes: the provider, or the page for a failure. */
  const begin = (context: EndpointContext, id: string, start: Start, addTo?: string) => {
    const provider = find(id)
    if (provider === undefined) throw createApiError("PROVIDER_NOT_FOUND")
    const { callbackURL = webUrl, errorCallbackURL = webUrl, newUserCallbackURL } = start
    return orFailTo(errorCallbackURL, provider.id, async () => {
      const discovery = await discoverOf(provider)
      const { state, codeVerifier } = await sealState(context, keys, {
        provider: provider.id,
        callbackURL,
        errorURL: errorCallbackURL,
        newUserURL: newUserCallbackURL,
        asksSince: start.prompt === "login" ? Date.now() : undefined,
        addTo,
      })
      const url = await createAuthorizationURL({
        id: provider.id,
        options: { clientId: provider.clientId },
        authorizationEndpoint: discovery.authorization_endpoint,
        state,
        codeVerifier,
        scopes: [...provider.scopes],
        ...(start.prompt && { prompt: start.prompt }),
        ...(start.loginHint && { loginHint: start.loginHint }),
        redirectURI: `${context.context.baseURL}/callback/${provider.id}`,
        // Apple sends an e-mail address and a name by a form alone.
        ...(provider.apple === undefined ? {} : { responseMode: "form_post" }),
        additionalParams: {
          nonce: nonceOf(codeVerifier),
          // Then a provider has to say when it has asked.
          ...(start.prompt === "login" && { max_age: "0" }),
        },
      })
      return url.toString()
    })
  }

  const start = createAuthEndpoint(
    "/sign-in/:provider",
    {
      method: "GET",
      query: Start,
    },
    async (context) => {
      throw context.redirect(await begin(context, context.params.provider, context.query))
    },
  )

  /** A call of the own front end, not a page: a link to it must not add whom the browser is there. */
  const startAdding = post("/link-social", provenSession(dependencies), async (context) => {
    const { provider, ...given } = context.body
    const urls = Start.parse(given)
    const url = await begin(context, provider, urls, context.context.session.user.id)
    return context.json({ url, redirect: true })
  })

  const finish = createAuthEndpoint(
    "/callback/:id",
    { method: "GET", query: Callback },
    async (context) => {
      const { id } = context.params
      const state = await openState(context, keys, context.query.state)
      if (typeof state === "string") {
        // Without the sign-in that it belongs to, its page is not known.
        const code = find(id) === undefined ? "provider_not_found" : state
        throw context.redirect(withError(webUrl, code))
      }
      const target = await orFailTo(state.errorURL, id, async () => {
        const provider = find(id)
        if (provider === undefined) throw new SignInFailure("provider_not_found")
        return finishWith({ context, provider, state, query: context.query, ...dependencies })
      })
      throw context.redirect(target)
    },
  )

  return { signInProvider: start, linkSocialAccount: startAdding, callbackOAuth: finish }
}

type Return = Pick<Dependencies, "configuration" | "database" | "attempts" | "letters"> & {
  context: EndpointContext
  provider: IdentityProvider
  state: SignInState
  query: z.infer<typeof Callback>
}

/** Sets the session cookie, and returns where to go. Throws SignInFailure. */
async function finishWith(options: Return) {
  const { context, provider, state, query } = options
  // Mix-up attack: a sign-in that started at one provider must not finish at another.
  if (state.provider !== provider.id) throw new SignInFailure("state_mismatch")
  const { code, error, iss } = query
  const discovery = await discoverOf(provider)
  const named = iss !== undefined || discovery.authorization_response_iss_parameter_supported
  if (named && iss !== discovery.issuer) throw new SignInFailure("issuer_mismatch")
  if (error !== undefined) throw new SignInFailure(errorOfProvider(error))
  if (code === undefined) throw new SignInFailure("no_code")
  const { issuer, claims } = await exchange({
    provider,
    discovery,
    code,
    codeVerifier: state.codeVerifier,
    redirectUri: `${context.context.baseURL}/callback/${provider.id}`,
  }).catch((reason: unknown) => {
    log("warn", "provider.refused", { provider: provider.id, reason: reasonOf(reason) })
    const isDown = reason instanceof Unavailable
    throw new SignInFailure(isDown ? "provider_unavailable" : "invalid_code")
  })
  const shownAt = freshnessOf(claims.auth_time, state.asksSince)
  const identity = { providerId: provider.id, issuer, subject: claims.sub }
  if (state.addTo !== undefined) {
    await add(options, identity)
    return state.callbackURL
  }
  const { email } = claims
  if (email === undefined) throw new SignInFailure("email_not_found")
  const doubt = doubtOf(provider, email, claims)
  if (doubt !== undefined) throw new SignInFailure(doubt)
  const entered = await enter({
    ...options,
    identity,
    profile: profileOf(claims, email, provider.apple && query.name),
    isAuthority: isAuthority(provider, email, claims),
    shownAt,
    page: state.callbackURL,
  })
  if (typeof entered === "string") throw new SignInFailure(entered)
  await setSessionCookie(context, entered)
  return entered.isRegister ? (state.newUserURL ?? state.callbackURL) : state.callbackURL
}

/** Milliseconds by which the provider's clock may be behind. */
const patience = 60_000

/**
 * When the user has shown the provider who they are: known only if this service asked for that, and the provider
 * says when it was (OpenID Connect Core, 2, `auth_time`). A browser that is signed in there is let in unasked.
 * @param authTime seconds
 */
function freshnessOf(authTime: number | undefined, asksSince: number | undefined) {
  if (asksSince === undefined || authTime === undefined) return null
  const shownAt = authTime * 1000
  if (shownAt < asksSince - patience) throw new SignInFailure("login_required")
  return new Date(Math.min(Date.now(), shownAt))
}

/** Only to the account that is signed in here and asked for it. */
async function add({ context, state, database, letters }: Return, identity: Identity) {
  const current = await getSessionFromCtx(context)
  if (current === null || current.user.id !== state.addTo) throw new SignInFailure("state_mismatch")
  const owner = { sessionId: current.session.id, userId: current.user.id }
  const { headers } = context
  if (await addIdentity({ database, letters, identity, owner, headers })) return
  throw new SignInFailure("account_not_linked")
}

/** What the action returns, or the front end's page for its failure: never a page of our own. */
async function orFailTo(page: string, provider: string, action: () => Promise<string>) {
  try {
    return await action()
  } catch (error) {
    if (error instanceof SignInFailure) return withError(page, error.code, error.reason)
    // Others are the library's, whose redirects lead to a page that this sign-in did not choose.
    const reason = isAPIError(error) ? "the library refused" : reasonOf(error)
    log("error", "provider.failed", { provider, reason })
    return withError(page, "internal_server_error")
  }
}

async function discoverOf(provider: IdentityProvider) {
  try {
    return await discover(provider)
  } catch (reason) {
    log("error", "provider.unavailable", { provider: provider.id, reason: reasonOf(reason) })
    throw new SignInFailure("provider_unavailable")
  }
}
