import type { Env } from "../service/platform/configuration/env.ts"
import { identityProviderBindings } from "../service/platform/configuration/provider.ts"
import { bind, createBrowser, webUrl } from "./browser.ts"
import { createNetwork, type Remote } from "./network.ts"
import {
  clientId,
  createApple,
  createAuthentik,
  createCognito,
  createGitlab,
  createGoogle,
  createKeycloak,
  createMicrosoft,
  createSlack,
  tenant,
} from "./provider-shapes.ts"

type Provider = {
  provider: Awaited<ReturnType<typeof createGoogle>>["provider"]
  remotes: Record<string, Remote>
  clientSecret?: string
}

/* Created once, because metadata and keys are cached by URL. */
export const google = await createGoogle()
export const apple = await createApple()
export const common = await createMicrosoft("common")
export const single = await createMicrosoft(tenant)
export const cognito = await createCognito()
export const keycloak = await createKeycloak()
export const slack = await createSlack()
export const gitlab = await createGitlab()
export const authentik = await createAuthentik()

/** A browser at a service with one of them. */
export function visit(
  { provider, remotes, clientSecret = "secret" }: Provider,
  declared: object,
  changes: Partial<Env> = {},
) {
  // Another issuer under the same name would find no account.
  const id = `at-${new URL(provider.issuer).hostname.replaceAll(".", "-")}`
  const { clientId: idName, clientSecret: secretName } = identityProviderBindings(id)
  const bound = {
    ...bind({ IDENTITY_PROVIDERS: JSON.stringify({ [id]: declared }), ...changes }),
    [idName]: clientId,
    [secretName]: clientSecret,
  }
  const browser = createBrowser(bound, null)
  const network = createNetwork(remotes)
  const start = async () =>
    new URL((await browser.get(`/api/auth/sign-in/${id}`)).headers.get("location") ?? "")
  return {
    id,
    browser,
    network,
    start,
    /** Signs in, and returns where the browser ends up, and as whom. */
    signIn: async (claims: Record<string, unknown> = {}, userinfo?: object) => {
      browser.cookies.clear()
      provider.forge({ claims, ...(userinfo && { userinfo: () => Response.json(userinfo) }) })
      const { iss, ...answer } = provider.authorize((await start()).href)
      // Of these, Keycloak alone names its issuer.
      const parameters = provider.issuer.includes("/realms/") ? { ...answer, iss } : answer
      const query = new URLSearchParams(parameters).toString()
      const finished = await browser.get(`/api/auth/callback/${id}?${query}`)
      const session = await browser.get("/api/auth/get-session")
      const { user } = (await session.json<{ user: object } | null>()) ?? {}
      return { location: finished.headers.get("location"), user }
    },
    [Symbol.dispose]: () => network[Symbol.dispose](),
  }
}

export function failed(error: string) {
  return { location: `${webUrl}?error=${error}`, user: undefined }
}
