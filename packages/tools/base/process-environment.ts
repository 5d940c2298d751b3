import { tmpdir, userInfo } from "node:os"

/** The default of `cloudflare:baseUrl`. */
export const cloudflareApi = "https://api.cloudflare.com/client/v4"

const loopback = ["localhost", "127.0.0.1", "::1"]

/**
 * Makes this process use the caller's proxies (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), as the engine and its
 * official plugins do. Excludes loopback, which engine, plugins and the local Cloudflare use.
 */
export function useProxies(env: NodeJS.ProcessEnv = process.env): void {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
  if (!names.some((name) => env[name])) return
  for (const name of names) {
    const { [name]: value } = env
    // Go and curl assume HTTP for a proxy without a scheme, but Node does not accept it.
    if (value && !value.includes("://")) env[name] = `http://${value.trim()}`
  }
  const direct = `${env["NO_PROXY"] ?? ""},${env["no_proxy"] ?? ""}`.split(/[\s,]+/).filter(Boolean)
  // Node supports `*` only as the whole list.
  const list = direct.includes("*") ? "*" : [...new Set([...direct, ...loopback])].join(",")
  env["NO_PROXY"] = list
  env["no_proxy"] = list
  // Loads node:http late, because that takes as long as the rest of a small command.
  process.getBuiltinModule("node:http").setGlobalProxyFromEnv(env)
}

/** Sets USER and HOME for the engine in containers whose user has no entry in the list of users. */
export function nameUser(env: NodeJS.ProcessEnv = process.env): void {
  try {
    userInfo()
  } catch {
    env["USER"] ??= `uid-${process.getuid?.() ?? "unknown"}`
    env["HOME"] ??= tmpdir()
  }
}

/**
 * Finds variables that would make some of the deploying programs send the token to another API than the
 * stack's.
 */
export function conflictingBaseUrls(
  baseUrl: string,
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  const plain = (url: string) => url.replace(/\/+$/, "")
  return ["CLOUDFLARE_BASE_URL", "CLOUDFLARE_API_BASE_URL"].flatMap((name) => {
    const { [name]: value } = env
    if (!value || plain(value) === plain(baseUrl)) return []
    return [`${name} is ${value}, but this stack's API is ${baseUrl}: unset ${name}`]
  })
}
