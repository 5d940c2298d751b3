import { createORPCClient } from "@orpc/client"
import type { JsonifiedClient } from "@orpc/openapi-client"
import { OpenAPILink } from "@orpc/openapi-client/fetch"
import type { RouterClient } from "@orpc/server"
import { createAuthClient } from "better-auth/client"

import type { router } from "../rpc/router.ts"
import { contract } from "./contract.generated.ts"

type Options = {
  /** Origin of the API. */
  url: string
  fetch?: typeof fetch
}

/** A browser sends cookies to another subdomain only with this option. */
const shared = { credentials: "include" } as const

/** The client for front ends: sign-in and sign-out, and the typed operations, with the shared cookie. */
export function createClient({ url, fetch: send = fetch }: Options) {
  const withCookie: typeof fetch = (input, init = {}) => send(input, { ...init, ...shared })
  const link = new OpenAPILink(contract, { url: `${url}/api/v1`, fetch: withCookie })
  const api: JsonifiedClient<RouterClient<typeof router>> = createORPCClient(link)
  const auth = createAuthClient({ baseURL: url, fetchOptions: { customFetchImpl: withCookie } })
  return { auth, api }
}
