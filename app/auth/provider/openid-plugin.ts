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

import { log, reasonOf } from "../../http/log.ts"
import { Image } from "../new-user.ts"
import { isSmokeAddress } from "../smoke.ts"
import { type Claims, exchange, nonceOf } from "./code-exchange.ts"
import { discover } from "./discovery.ts"
import type { IdentityProvider } from "./provider.ts"

const Targets = z.object({
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

type Options = { providers: IdentityProvider[]; webUrl: string }

/**
 * OpenID Connect at the specification's own paths. The library's generic one starts by POST, calls
 * back elsewhere and accepts any id_token.
 */
export function openidProviders({ providers, webUrl }: Options) {
  const providerOf = (id: string) => {
    const provider = providers.find((candidate) => candidate.id === id)
    if (provider !== undefined) return provider
    throw new APIError("NOT_FOUND", { code: "PROVIDER_NOT_FOUND", message: "Provider not found" })
  }

  const start = createAuthEndpoint(
    "/sign-in/:provider",
    {
      method: "GET",
      query: Targets,
      use: [originCheck(({ query }) => targetsOf(query))],
    },
    async (context) => {
      const provider = providerOf(context.params.provider)
      const body = { ...context.query, callbackURL: context.query.callbackURL ?? webUrl }
      const { state, codeVerifier } = await generateState({ ...context, body }, undefined, {
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
      const state = await parseState(context)
      const refuse = (error: string) => context.redirect(withError(state.errorURL ?? webUrl, error))
      // A state made for one provider must not finish at another: that is the mix-up attack.
      if (state["provider"] !== provider.id) throw refuse("state_mismatch")
      const { code, error, iss } = context.query
      const discovery = await discover(provider.issuer).catch(unreachable(provider))
      if (discovery === null) throw refuse("provider_unavailable")
      const named = iss !== undefined || discovery.authorization_response_iss_parameter_supported
      if (named && iss !== discovery.issuer) throw refuse("issuer_mismatch")
      if (error !== undefined) throw refuse(/^[a-z_]{1,40}$/.test(error) ? error : "provider_error")
      if (code === undefined) throw refuse("no_code")
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
      if (claims === null) throw refuse("invalid_code")
      if (claims.email === undefined) throw refuse("email_not_found")
      // Whoever may enter any address at a provider would take accounts over, or squat them.
      const reserved = isSmokeAddress(claims.email.toLowerCase())
      if (claims.email_verified !== true || reserved) throw refuse("email_not_verified")
      const result = await handleOAuthUserInfo(context, {
        userInfo: profileOf(claims, claims.email),
        account: { providerId: provider.id, accountId: claims.sub },
        callbackURL: state.callbackURL,
      })
      if (result.data === null) throw refuse(result.error.replaceAll(" ", "_"))
      await setSessionCookie(context, result.data)
      const target = result.isRegister ? (state.newUserURL ?? state.callbackURL) : state.callbackURL
      throw context.redirect(target)
    },
  )

  return {
    id: "openid-providers",
    // The second name is the library's own, whose endpoint this one replaces.
    endpoints: { signInProvider: start, callbackOAuth: finish },
  } satisfies BetterAuthPlugin
}

function targetsOf(query: unknown) {
  return Object.values(Targets.safeParse(query).data ?? {}).filter((url) => url !== undefined)
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
