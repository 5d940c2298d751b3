import { Failure } from "../base/failure.ts"
import { type Api, createApi } from "../deploy/api.ts"
import { say } from "./output.ts"

/**
 * Cloudflare's API as commands ask it: they say when they wait for its rate limit.
 * @param options.token the caller's own if it is left out
 */
export function openApi({ baseUrl, token }: { baseUrl: string; token?: string }): Api {
  return createApi({ baseUrl, token: token ?? userToken(), onLimit: say })
}

/** @throws Failure where there is none */
export function userToken(): string {
  const { CLOUDFLARE_API_TOKEN: token } = process.env
  if (token) return token
  const message =
    "CLOUDFLARE_API_TOKEN is not set, and this stack is at Cloudflare. Set it, or add --local to work on this machine."
  throw new Failure("COMMAND_FAILED", message)
}
