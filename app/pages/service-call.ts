import type { Language } from "../service/platform/mail/language.ts"
import { believedUser } from "../service/session/caller.ts"
import { withCookie } from "./settings.ts"

/** Calls the API in this isolate. */
export type Call = (request: Request) => Promise<Response>

/** Headers of the page's request that rate limits, emails and the log use. */
const passedOn = ["cf-connecting-ip", "cf-ray", "user-agent"]

type Reader = {
  /** The service's origin. */
  url: string
  /** Language of the page. */
  language: Language
  /** Id of the user for whom the form was rendered. Another tab may have signed in another user since. */
  believed: string | null
}

const down = new Set(["UNAVAILABLE", "SERVICE_MISCONFIGURED", "INTERNAL_SERVER_ERROR"])

/**
 * Returns a `fetch` that calls the API like the reader's browser from a front end: with its cookies, which responses
 * update, and with the service's origin. It records outages and ended sessions, even if the page ignores the response.
 */
export function callsOf(request: Request, { url, language, believed }: Reader, call: Call) {
  const noted = {
    /** Lines for `set-cookie`. */
    cookies: new Array<string>(),
    isDown: false,
    hasEnded: false,
  }
  let cookie = request.headers.get("cookie") ?? ""
  const headers = passedOn.flatMap((name) => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const send: typeof fetch = async (input, init) => {
    const answer = await call(
      new Request(input instanceof Request ? input.url : input, {
        method: init?.method ?? "GET",
        body: init?.body ?? null,
        redirect: "manual",
        headers: {
          ...Object.fromEntries(headers),
          origin: url,
          "accept-language": language,
          ...(cookie === "" ? {} : { cookie }),
          ...(believed === null ? {} : { [believedUser]: believed }),
          ...(init?.body ? { "content-type": "application/json" } : {}),
        },
      }),
    )
    for (const line of answer.headers.getSetCookie()) {
      noted.cookies.push(line)
      cookie = withCookie(cookie, line)
    }
    if (answer.status < 400) return answer
    const { code } = await answer.clone().json<{ code?: string }>()
    noted.hasEnded ||= code === "UNAUTHORIZED"
    noted.isDown ||= down.has(code ?? "")
    // Otherwise the client would wait and retry, while the reader sees an empty page.
    if (noted.isDown) throw new Error(code)
    return answer
  }
  return { noted, send }
}
