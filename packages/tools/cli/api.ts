import { Failure } from "../base/failure.ts"
import { type Api, createApi } from "../deploy/api.ts"
import { say } from "./output.ts"

/**
 * Opens Cloudflare's API for a command, which prints when it waits for the rate limit.
 * @param options.token default: the caller's own token
 */
export function openApi({ baseUrl, token }: { baseUrl: string; token?: string }): Api {
  return createApi({ baseUrl, token: token ?? userToken(), onLimit: say })
}

/** @throws Failure if CLOUDFLARE_API_TOKEN is not set */
export function userToken(): string {
  const { CLOUDFLARE_API_TOKEN: token } = process.env
  if (token) return token
  const message =
    "CLOUDFLARE_API_TOKEN is not set, and this stack is at Cloudflare. Set it, or add --local to work on this machine."
  throw new Failure("COMMAND_FAILED", message)
}
