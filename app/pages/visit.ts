import { type Client, createClient } from "../../packages/client/src/index.ts"
import { isTrustedRedirect } from "../service/platform/http/redirect.ts"
import { languageOf } from "../service/platform/mail/language.ts"
import { believedUser } from "../service/session/caller.ts"
import type { Problem } from "./outcome.ts"
import { type Call, callsOf } from "./service-call.ts"
import { type PageCookie, readPageCookie, type Settings, writePageCookie } from "./settings.ts"
import { wordsOf } from "./words/words.ts"

export type Visit = Awaited<ReturnType<typeof createVisit>> & {
  /** The refusal of the form with this button. */
  refused?: { act: string; problem: Problem; isSaid: boolean }
}

type Options = {
  request: Request
  settings: Settings
  call: Call
}

/** Parameters that no link of the page and no later page repeats. */
const saidOnce = new Set(["error", "language", "token", "invitation"])

/** Collects what a page needs of its request: reader, language, query, form and the API's client. */
export async function createVisit({ request, settings, call }: Options) {
  const { url } = settings
  const place = new URL(request.url)
  const { searchParams: query } = place
  // Two slashes would make another host of it in a link.
  const path = place.pathname.replace(/^\/+/, "/")
  const header = request.headers.get("cookie") ?? ""
  const language = languageOf({
    chosen: [query.get("language"), readPageCookie(header, settings, "language")],
    accepted: request.headers.get("accept-language"),
    offered: settings.look.languages,
  })
  // workerd warns of what calls a form's body a text.
  const body = request.method === "POST" ? await request.arrayBuffer() : new ArrayBuffer()
  const fields = new URLSearchParams(new TextDecoder().decode(body))
  // Removes characters that no id has, so that the text matches no user.
  const believed = fields.get(believedUser)?.replaceAll(/[^\w-]/g, "") ?? null
  const reader = { url, language, believed }
  const { noted, send } = callsOf(request, reader, call)
  const client: Client = createClient({ url, fetch: send })
  if (query.get("language") === language) {
    noted.cookies.push(writePageCookie(settings, "language", language))
  }
  const queryPage = trustedPage(query.get("return"), settings)
  // Nothing of the page repeats another.
  if (queryPage === undefined) query.delete("return")
  // Another host of the site may have set it, so it counts no more than a link.
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
    /** Message of the previous page or a provider, shown on the next page that renders. */
    message: {
      done: message.get("done") ?? undefined,
      error: message.get("error") ?? undefined,
      reason: message.get("reason") ?? undefined,
    },
    /** Null without a signed-in user. */
    session,
    /** Whether the browser has opened the session, or proven it. */
    isOwn: settings.isOwn(request.headers),
    /** Reads a field of the sent form. */
    field: (name: string) => fields.get(name) ?? "",
    has: (name: string) => fields.has(name),
    /** A page of a trusted origin, to which the visit leads in the end. */
    returnTo,
    /** Where the visit leads in the end, if it began nowhere. */
    goal: returnTo ?? settings.look.home ?? "/account",
    /** This page as it was opened, with other values of its query. */
    here: (changes: Record<string, string> = {}) => {
      const repeated = [...query].filter(([name]) => !saidOnce.has(name))
      const search = new URLSearchParams({ ...Object.fromEntries(repeated), ...changes }).toString()
      return search === "" ? path : `${path}?${search}`
    },
    /** A path of the pages that still leads there. */
    onward: (to: string) => withReturn(to, returnTo),
    /** Lets a link of an email that is opened in this browser return to the same page. */
    keepReturn: () => {
      if (queryPage === undefined && pageCookie === null) return
      noted.cookies.push(writePageCookie(settings, "return_page", queryPage ?? ""))
    },
    /** A page's URL for links in emails and for providers. */
    pageAt: (to: string) => `${url}${withReturn(to, returnTo)}`,
    /** Whether a reset's link still opens a form: else it would be filled in for nothing. */
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

/** Refuses pages below /api/: a sign-in must not let a link call the API. */
function trustedPage(page: string | null, { trustedOrigins, url }: Settings) {
  if (page === null || !isTrustedRedirect(page, trustedOrigins)) return undefined
  const { origin, pathname } = new URL(page)
  return origin === url && pathname.startsWith("/api/") ? undefined : page
}
