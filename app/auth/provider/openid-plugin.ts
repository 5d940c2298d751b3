import { APIError, createAuthEndpoint, originCheck } from "better-auth/api"
import { setSessionCookie } from "better-auth/cookies"
import {
  createAuthorizationURL,
  generateState,
  handleOAuthUserInfo,
  parseState,
} from "better-auth/oauth2"
import type { BetterAuthPlugin } from "better-auth/types"
import * as z from "zod"

import { auditOwn } from "../../admin/audit.ts"
import type { Database } from "../../database.ts"
import { log, reasonOf } from "../../http/log.ts"
import { withHostCookies } from "../host-cookie.ts"
import { Image } from "../new-user.ts"
import { isSmokeAddress } from "../smoke.ts"
import { dropUnprovenCredentials } from "../unproven.ts"
import { type Claims, exchange, nonceOf } from "./code-exchange.ts"
import { discover } from "./discovery.ts"
import type { IdentityProvider } from "./provider.ts"

const RedirectUrls = z.object({
  callbackURL: z.string().optional(),
  errorCallbackURL: z.string().optional(),
  newUserCallbackURL: z.string().optional(),
})

const Callback = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  iss: z.string().optional(),
})

type Options = { providers: IdentityProvider[]; webUrl: string; database: Database }

/**
 * Sign-in through OpenID Connect at the paths that the specification requires. The library's generic
 * plugin starts by POST, uses another callback path and does not verify the id_token.
 */
export function openidProviders({ providers, webUrl, database }: Options) {
  const providerOf = (id: string) => {
    const provider = providers.find((candidate) => candidate.id === id)
    if (provider !== undefined) return provider
    throw new APIError("NOT_FOUND", { code: "PROVIDER_NOT_FOUND", message: "Provider not found" })
  }

  const start = createAuthEndpoint(
    "/sign-in/:provider",
    {
      method: "GET",
      query: RedirectUrls,
      use: [originCheck(({ query }) => redirectUrlsOf(query))],
    },
    async (context) => {
      const provider = providerOf(context.params.provider)
      const body = { ...context.query, callbackURL: context.query.callbackURL ?? webUrl }
      const sealed = { ...withHostCookies(context), body }
      const { state, codeVerifier } = await generateState(sealed, undefined, {
        provider: provider.id,
      })
      const failTo = context.query.errorCallbackURL ?? webUrl
      const discovery = await discover(provider.issuer).catch(unreachable(provider))
      if (discovery === null) throw context.redirect(withError(failTo, "provider_unavailable"))
      const url = await createAuthorizationURL({
        id: provider.id,
        options: { clientId: provider.clientId },
        authorizationEndpoint: discovery.authorization_endpoint,
        state,
        codeVerifier,
        scopes: [...provider.scopes],
        redirectURI: `${context.context.baseURL}/callback/${provider.id}`,
        additionalParams: { nonce: nonceOf(codeVerifier) },
      })
      throw context.redirect(url.toString())
    },
  )

  const finish = createAuthEndpoint(
    "/callback/:id",
    { method: "GET", query: Callback },
    async (context) => {
      const provider = providerOf(context.params.id)
      const state = await parseState(withHostCookies(context))
      const failure = (error: string) =>
        context.redirect(withError(state.errorURL ?? webUrl, error))
      // Mix-up attack: a sign-in that started at one provider must not finish at another.
      if (state["provider"] !== provider.id) throw failure("state_mismatch")
      const { code, error, iss } = context.query
      const discovery = await discover(provider.issuer).catch(unreachable(provider))
      if (discovery === null) throw failure("provider_unavailable")
      const named = iss !== undefined || discovery.authorization_response_iss_parameter_supported
      if (named && iss !== discovery.issuer) throw failure("issuer_mismatch")
      if (error !== undefined) {
        throw failure(/^[a-z_]{1,40}$/.test(error) ? error : "provider_error")
      }
      if (code === undefined) throw failure("no_code")
      const redirectUri = `${context.context.baseURL}/callback/${provider.id}`
      const claims = await exchange({
        provider,
        discovery,
        code,
        codeVerifier: state.codeVerifier,
        redirectUri,
      }).catch((reason: unknown) => {
        log("warn", "provider.refused", { provider: provider.id, reason: reasonOf(reason) })
        return null
      })
      if (claims === null) throw failure("invalid_code")
      if (claims.email === undefined) throw failure("email_not_found")
      // An unverified address at the provider could take over, or squat, someone else's account.
      const reserved = isSmokeAddress(claims.email.toLowerCase())
      if (claims.email_verified !== true || reserved) throw failure("email_not_verified")
      const userInfo = profileOf(claims, claims.email)
      const enter = () =>
        handleOAuthUserInfo(context, {
          userInfo,
          account: { providerId: provider.id, accountId: claims.sub },
          callbackURL: state.callbackURL,
        })
      const first = await enter()
      const isUnproven = first.error === "account not linked"
      if (isUnproven) await dropUnprovenCredentials(database, userInfo)
      const result = isUnproven ? await enter() : first
      if (result.data === null) throw failure(result.error.replaceAll(" ", "_"))
      await auditOwn({
        database,
        action: "sign_in",
        userId: result.data.user.id,
        detail: provider.id,
      })
      await setSessionCookie(context, result.data)
      const target = result.isRegister ? (state.newUserURL ?? state.callbackURL) : state.callbackURL
      throw context.redirect(target)
    },
  )

  return {
    id: "openid-providers",
    // The second key is the name of the library's endpoint, to replace it.
    endpoints: { signInProvider: start, callbackOAuth: finish },
  } satisfies BetterAuthPlugin
}

function redirectUrlsOf(query: unknown) {
  return Object.values(RedirectUrls.safeParse(query).data ?? {}).filter((url) => url !== undefined)
}

function profileOf(claims: Claims, email: string) {
  return {
    id: claims.sub,
    email,
    emailVerified: true,
    name: (claims.name ?? claims.preferred_username ?? email.replace(/@.*/, "")).slice(0, 100),
    image: Image.safeParse(claims.picture).data,
  }
}

function withError(target: string, error: string) {
  return `${target}${target.includes("?") ? "&" : "?"}${new URLSearchParams({ error }).toString()}`
}

function unreachable(provider: IdentityProvider) {
  return (reason: unknown) => {
    log("error", "provider.unavailable", { provider: provider.id, reason: reasonOf(reason) })
    return null
  }
}
