import { createAuthEndpoint, isAPIError } from "better-auth/api"
import { calculatePKCECodeChallenge } from "oauth4webapi"
import * as z from "zod"

import type { Configuration } from "../../platform/configuration/configuration.ts"
import type { IdentityProvider } from "../../platform/configuration/provider.ts"
import { sign } from "../../platform/cookie/cookie.ts"
import { type EndpointContext, withHostCookies } from "../../platform/cookie/host-cookie.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { log, reasonOf } from "../../platform/http/log.ts"
import { addQuery } from "../../platform/http/redirect.ts"
import {
  isProven,
  provenSession,
  provenSince,
  readSession,
} from "../../session/assurance/assurance.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { enterAccount } from "../../session/session-opening.ts"
import { profileOf } from "./claims.ts"
import { enter } from "./enter.ts"
import { addIdentity, type Identity } from "./identity.ts"
import { clockTolerance, exchange, nonceOf, serverOf } from "./protocol.ts"
import { failWith, SignInFailure } from "./sign-in-error.ts"
import { openState, sealState, type SignInState } from "./sign-in-state.ts"

/** Treats an empty URL as missing. */
const Page = z
  .string()
  .transform((page) => (page === "" ? undefined : page))
  .optional()

export const Start = z.object({
  callbackURL: Page,
  errorCallbackURL: Page,
  newUserCallbackURL: Page,
  // Without it, a provider on a shared computer signs the previous user in again without asking.
  prompt: z.enum(["login", "select_account", "consent"]).optional(),
  loginHint: z.string().max(254).optional(),
})

type Start = z.infer<typeof Start>

/* Ignores a repeated parameter, because a user who comes from a provider cannot fix the URL. */
const parameter = z.string().optional().catch(undefined)

export const Callback = z.object({
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
  },
  callback: {
    path: "/callback/:id",
    methods: ["GET", "POST"],
    is: ["open"],
  },
  link: {
    path: "/link-social",
    body: z.object({ provider: z.string(), ...Start.omit({ newUserCallbackURL: true }).shape }),
  },
} as const satisfies Record<string, Path>

/**
 * OpenID Connect sign-in at the paths that the specification requires. The library's generic plugin starts by POST,
 * uses another callback path and does not verify the id_token.
 */
export function openidSignIn(dependencies: Dependencies) {
  const { configuration } = dependencies
  const { identityProviders, webUrl, keys } = configuration
  const find = (id: string) => identityProviders.find((candidate) => candidate.id === id)

  /** Returns the URL of the provider's authorization page, or of the error page. */
  const begin = (context: EndpointContext, id: string, start: Start, addTo?: string) => {
    const provider = find(id)
    if (provider === undefined) throw createApiError("PROVIDER_NOT_FOUND")
    const { callbackURL = webUrl, errorCallbackURL = webUrl, newUserCallbackURL } = start
    const { prompt, loginHint } = start
    return orFailTo({ context, configuration, page: errorCallbackURL }, id, async () => {
      const server = await serverOf(provider).catch(failWith("provider_unavailable"))
      const { state, codeVerifier } = await sealState(context, keys, {
        provider: id,
        callbackURL,
        errorURL: errorCallbackURL,
        newUserURL: newUserCallbackURL,
        asksSince: prompt === "login" ? Date.now() : undefined,
        addTo,
      })
      const challenge = provider.hasPkce !== false && {
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      }
      return addQuery(server.authorization_endpoint ?? "", {
        response_type: "code",
        client_id: provider.clientId,
        redirect_uri: `${context.context.baseURL}/callback/${id}`,
        scope: provider.scopes.join(" "),
        state,
        ...challenge,
        prompt,
        login_hint: loginHint,
        // Apple returns the email address and the name only in a form post.
        response_mode: provider.apple && "form_post",
        nonce: provider.plain ? undefined : nonceOf(codeVerifier),
        // `max_age` makes the provider return `auth_time`.
        max_age: prompt === "login" ? "0" : undefined,
      })
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

  /** A POST from the front end, so that following a link cannot add a provider account. */
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
      // An unknown sign-in has no error page of its own.
      const page = typeof state === "string" ? webUrl : state.errorURL
      const id = provider?.id ?? "unknown"
      const target = await orFailTo({ context, configuration, page }, id, async () => {
        if (provider === undefined) throw new SignInFailure("provider_not_found")
        if (typeof state === "string") throw new SignInFailure(state)
        return finishWith({ context, provider, state, query, ...dependencies })
      })
      throw context.redirect(target)
    },
  )

  return { signInProvider, linkSocialAccount, callbackOAuth }
}

type Return = Dependencies & {
  context: EndpointContext
  provider: IdentityProvider
  state: SignInState
  query: z.infer<typeof Callback>
}

/**
 * Sets the session cookie, and returns the browser's next page.
 * @throws SignInFailure
 */
async function finishWith(options: Return) {
  const { context, provider, state, query } = options
  // Mix-up attack: a sign-in that started at one provider must not finish at another.
  if (state.provider !== provider.id) throw new SignInFailure("state_mismatch")
  const server = await serverOf(provider).catch(failWith("provider_unavailable"))
  const { codeVerifier } = state
  const redirectUri = `${context.context.baseURL}/callback/${provider.id}`
  const signIn = { provider, server, codeVerifier, redirectUri }
  const { issuer, claims } = await exchange(signIn, query).catch(failWith("invalid_code"))
  const shownAt = freshnessOf(claims.auth_time, state.asksSince)
  const identity = { providerId: provider.id, issuer, subject: claims.sub }
  if (state.addTo !== undefined) {
    await add(options, identity)
    return state.callbackURL
  }
  const { isRegister, ...entry } = await enter({
    ...options,
    ...profileOf(provider, claims, provider.apple && query.name),
    identity,
    shownAt,
    page: state.callbackURL,
  })
  await enterAccount(context, options, { ...entry, isKnown: false })
  return isRegister ? (state.newUserURL ?? state.callbackURL) : state.callbackURL
}

/**
 * Returns when the user signed in at the provider. Null if this service requested no new sign-in, or if the provider
 * does not report the time (OpenID Connect Core, 2, `auth_time`).
 * @param authTime seconds
 */
function freshnessOf(authTime: number | undefined, asksSince: number | undefined) {
  if (asksSince === undefined || authTime === undefined) return null
  const shownAt = authTime * 1000
  if (shownAt < asksSince - clockTolerance * 1000) throw new SignInFailure("login_required")
  return new Date(Math.min(Date.now(), shownAt))
}

/** Adds the identity to the signed-in account that requested it, if its session is still stepped up. */
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

type FailurePage = { context: EndpointContext; configuration: Configuration; page: string }

/** Returns the action's URL, or the error page for its failure. Never uses the library's error page. */
async function orFailTo(failure: FailurePage, provider: string, action: () => Promise<string>) {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof SignInFailure)) {
      // The library would redirect to a page that this sign-in did not choose.
      const reason = isAPIError(error) ? "the library refused" : reasonOf(error)
      log("error", "provider.failed", { provider, reason })
      return failTo(failure, { error: "internal_server_error" })
    }
    const { cause, query } = error
    const reason = cause === undefined ? undefined : reasonOf(cause)
    const refusal = { provider, code: query.error, reason }
    // The sign-in continues with the second factor, so this is no rejection.
    if (query.error !== "second_factor_required") log("warn", "provider.refused", refusal)
    return failTo(failure, query)
  }
}

/** Passes the failure to this service's pages in a cookie, and to any other page in its query. */
function failTo({ context, configuration, page }: FailurePage, query: SignInFailure["query"]) {
  const { pages, url, keys } = configuration
  const { origin, pathname } = new URL(page)
  const isPage = pages && origin === url && !pathname.startsWith("/api/")
  if (!isPage) return addQuery(page, query)
  const { name, attributes } = withHostCookies(context).context.createAuthCookie("page_message")
  const value = sign(new URLSearchParams(query).toString(), keys.first("page_message"))
  context.setCookie(name, value, { ...attributes, maxAge: 60 })
  return page
}
