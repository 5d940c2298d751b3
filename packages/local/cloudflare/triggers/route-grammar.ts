import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { type Zone, zoneOf } from "../seed.ts"

/**
 * The rules and texts of "Invalid Route Pattern" in Cloudflare's documentation of the routes API,
 * and of "Matching behavior" in that of routes. Characters that no URL has are assumed to be those
 * that Cloudflare "could not understand".
 * @throws ApiError 10022
 */
export function checkRoutePattern(pattern: string, zone?: Zone): Zone {
  const [, host = "", rest = ""] = /^(?:https?:\/\/)?([^/?#]*)(.*)$/i.exec(pattern) ?? []
  const misunderstood = `Could not understand route pattern ${pattern}, please try a different pattern`
  if (/[\s#]/.test(pattern) || !/^(?:\*\.?)?[^*]/.test(host)) throw invalid(misunderstood)
  if (rest.includes("?")) {
    throw invalid(`Route pattern should not have query parameters ${pattern}`)
  }
  if (`${host.slice(1)}${rest.replace(/\*$/, "")}`.includes("*")) {
    throw invalid(
      `Route pattern may only contain wildcards at the beginning of the hostname and the end of the path: ${pattern}`,
    )
  }
  const found = zoneOf(host.replace(/^\*\.?/, "").toLowerCase())
  if (found !== undefined && (zone === undefined || found.id === zone.id)) return found
  throw invalid(`Route pattern must include zone name: ${pattern}`)
}

function invalid(message: string): ApiError {
  return new ApiError(400, code.badRoute, message)
}
