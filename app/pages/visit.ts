import { type Client, createClient } from "../../packages/client/src/index.ts"
import { isTrustedRedirect } from "../service/platform/http/redirect.ts"
import { languageOf } from "../service/platform/mail/language.ts"
import { believedUser } from "../service/session/caller.ts"
import type { Problem } from "./outcome.ts"
import { type Call, callsOf } from "./service-call.ts"
import { type PageCookie, readPageCookie, type Settings, writePageCookie } from "./settings.ts"
import { wordsOf } from "./words/words.ts"

export type Visit = Awaited<ReturnType<typeof createVisit>> & {
  /** The refusal of the form whose action is `act`. */
  refused?: { act: string; problem: Problem; isSaid: boolean }
}

type Options = {
  request: Request
  settings: Settings
  call: Call
}

/** Parameters that are left out of the page's links and of later pages. */
const saidOnce = new Set(["error", "language", "token", "invitation"])

/** Collects a page's input: session, language, query, form and the API's client. */
export async function createVisit({ request, settings, call }: Options) {
  const { url } = settings
  const place = new URL(request.url)
  const { searchParams: query } = place
  // A link that begins with two slashes would lead to another host.
  const path = place.pathname.replace(/^\/+/, "/")
  const header = request.headers.get("cookie") ?? ""
  const language = languageOf({
    chosen: [query.get("language"), readPageCookie(header, settings, "language")],
    accepted: request.headers.get("accept-language"),
    offered: settings.look.languages,
  })
  // `text()` would make workerd warn about the form's content type.
  const body = request.method === "POST" ? await request.arrayBuffer() : new ArrayBuffer()
  const fields = new URLSearchParams(new TextDecoder().decode(body))
  // Removes characters that no id contains, so that an invalid id matches no user.
  const believed = fields.get(believedUser)?.replaceAll(/[^\w-]/g, "") ?? null
  const reader = { url, language, believed }
  const { noted, send } = callsOf(request, reader, call)
  const client: Client = createClient({ url, fetch: send })
  if (query.get("language") === language) {
    noted.cookies.push(writePageCookie(settings, "language", language))
  }
  const queryPage = trustedPage(query.get("return"), settings)
  // Links of this page must not repeat an untrusted page.
  if (queryPage === undefined) query.delete("return")
  // Another host of the site may have set the cookie, so it is trusted no more than a link.
  const pageCookie = readPageCookie(header, settings, "return_page") ?? null
  const isOfLetter = path.startsWith("/verify") || path === "/reset-password"
  const returnTo = queryPage ?? (isOfLetter ? trustedPage(pageCookie, settings) : undefined)
  const hasCookies = header !== ""
  const session = hasCookies ? ((await client.auth.getSession()).data ?? null) : null

  const message = new URLSearchParams(readPageCookie(header, settings, "page_message"))

  return {
    api: client,
    settings,
    noted,
    language,
    words: wordsOf(language),
    path,
    query,
    /** Message of the previous page or of a provider; the next rendered page shows it. */
    message: {
      done: message.get("done") ?? undefined,
      error: message.get("error") ?? undefined,
      reason: message.get("reason") ?? undefined,
    },
    /** Null if no user is signed in. */
    session,
    /** Whether this browser opened the session, or has proven it. */
    isOwn: settings.isOwn(request.headers),
    /** Reads a field of the sent form. */
    field: (name: string) => fields.get(name) ?? "",
    has: (name: string) => fields.has(name),
    /** A page on a trusted origin to which the visit returns at the end. */
    returnTo,
    /** The last page of the visit; the home page if there is no page to return to. */
    goal: returnTo ?? settings.look.home ?? "/account",
    /** Returns this page's path with its query, in which `changes` replace values. */
    here: (changes: Record<string, string> = {}) => {
      const repeated = [...query].filter(([name]) => !saidOnce.has(name))
      const search = new URLSearchParams({ ...Object.fromEntries(repeated), ...changes }).toString()
      return search === "" ? path : `${path}?${search}`
    },
    /** Adds the page to return to, if any, to another path. */
    onward: (to: string) => withReturn(to, returnTo),
    /** Lets a link of an email that is opened in this browser return to the same page. */
    keepReturn: () => {
      if (queryPage === undefined && pageCookie === null) return
      noted.cookies.push(writePageCookie(settings, "return_page", queryPage ?? ""))
    },
    /** A page's URL for links in emails and for providers. */
    pageAt: (to: string) => `${url}${withReturn(to, returnTo)}`,
    /** Returns whether a reset link is still valid, so that no member fills in a form for nothing. */
    isOpenReset: async (token: string) => {
      const page = encodeURIComponent(`${url}/reset-password`)
      const link = `${url}/api/auth/reset-password/${encodeURIComponent(token)}?callbackURL=${page}`
      const { headers } = await send(link)
      return new URL(headers.get("location") ?? url).searchParams.has("token")
    },
    read: (cookie: PageCookie) => readPageCookie(header, settings, cookie),
    write: (cookie: PageCookie, value: string) =>
      noted.cookies.push(writePageCookie(settings, cookie, value)),
  }
}

function withReturn(to: string, page: string | undefined) {
  if (page === undefined) return to
  return `${to}${to.includes("?") ? "&" : "?"}return=${encodeURIComponent(page)}`
}

/** Returns undefined for untrusted pages and for /api/, which no link may call after a sign-in. */
function trustedPage(page: string | null, { trustedOrigins, url }: Settings) {
  if (page === null || !isTrustedRedirect(page, trustedOrigins)) return undefined
  const { origin, pathname } = new URL(page)
  return origin === url && pathname.startsWith("/api/") ? undefined : page
}
