import { type Api, createApi } from "../provider/api.ts"
import { say } from "./output.ts"

/**
 * Cloudflare's API as commands ask it: they say when they wait for its rate limit.
 * @param options.token the caller's own if it is left out
 */
export function openApi({ baseUrl, token }: { baseUrl: string; token?: string }): Api {
  const callers = process.env["CLOUDFLARE_API_TOKEN"] ?? ""
  return createApi({ baseUrl, token: token ?? callers, onLimit: say })
}
