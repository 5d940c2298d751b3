import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import { late } from "../service/platform/database/bounded-database.ts"
import worker from "../worker.ts"
import { createCookieJar } from "./cookie-jar.ts"
import { checkDescribed } from "./described.ts"
import { apiUrl, webUrl } from "./origins.ts"

export { apiUrl, webUrl }

/** The bindings of the test run with a test's own changes; undefined removes a binding. */
export function bind(changes: Partial<Env> = {}): Env {
  return {
    ...env,
    ...changes,
  }
}

export function bindProduction(changes: Partial<Env> = {}) {
  return bind({
    ENVIRONMENT: "production",
    NODE_ENV: "production",
    AUTH_URL: "https://api.example.com",
    WEB_URL: "https://app.example.com",
    AUTH_COOKIE_DOMAIN: "example.com",
    PASSKEYS: "example.com",
    MAIL_URL: "https://mail.example/send",
    ...changes,
  })
}

type RequestOptions = {
  headers?: Record<string, string> | undefined
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** Null for a link that a user opens. */
  from?: string | null
}

/** The service sends an email after it has stored the change. */
async function settled() {
  while (late.size > 0) await Promise.all(late)
}

/** Whatever opens a session binds it to the browser: one that is only renewed keeps its token. */
function checkBound(cookie: string, lines: string[]) {
  const pairOf = (kind: string) =>
    lines.flatMap((line) => new RegExp(`^[^=]+\\.${kind}=[^;.]+`).exec(line) ?? [])[0]
  const token = pairOf("session_token")
  if (token === undefined || cookie.includes(token) || pairOf("session_binding")) return
  throw new Error("The session is bound to no browser.")
}

/**
 * Calls the Worker like the web front end: sends its origin and keeps cookies. An answer that the
 * API description does not list fails the test.
 */
export function createBrowser(bound: Env = bind(), origin: string | null = webUrl) {
  const jar = createCookieJar()
  const send = async (
    method: string,
    path: string,
    { headers, body, from = origin }: RequestOptions = {},
  ) => {
    const request = new Request(new URL(path, bound.AUTH_URL ?? apiUrl), {
      method,
      redirect: "manual",
      headers: {
        ...(from === null ? {} : { origin: from }),
        ...jar.header(),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const context = createExecutionContext()
    const response = await worker.fetch(request, bound, context)
    await waitOnExecutionContext(context)
    // Unless a test holds it back.
    const end = new AbortController()
    const isOver = scheduler.wait(2000, { signal: end.signal }).catch(() => undefined)
    await Promise.race([settled(), isOver])
    end.abort()
    await checkDescribed(method, new URL(request.url).pathname, response)
    checkBound(request.headers.get("cookie") ?? "", response.headers.getSetCookie())
    jar.keep(response.headers.getSetCookie())
    return response
  }
  const post = (path: string, body: unknown = {}, headers?: Record<string, string>) =>
    send("POST", path, {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
  return {
    cookies: jar.cookies,
    send,
    post,
    /** Posts, and reads the response as JSON. */
    call: async (...args: Parameters<typeof post>) => {
      const response = await post(...args)
      return { status: response.status, body: await response.json<Record<string, unknown>>() }
    },
    /** Opens a link, as a mail program makes the browser do. */
    open: (link: string) => send("GET", link, { from: null }),
    get: (path: string, headers?: Record<string, string>) => send("GET", path, { headers }),
  }
}

export type Browser = ReturnType<typeof createBrowser>

/** Another browser that has the cookies of the first: in another tab, of a thief, or at another version. */
export function copyBrowser(
  { cookies }: Pick<Browser, "cookies">,
  ...where: Parameters<typeof createBrowser>
) {
  const copy = createBrowser(...where)
  for (const [name, value] of cookies) copy.cookies.set(name, value)
  return copy
}
