import type { Language } from "../service/platform/mail/language.ts"
import { believedUser } from "../service/session/caller.ts"
import { withCookie } from "./settings.ts"

/** Answers like the API, in this isolate. */
export type Call = (request: Request) => Promise<Response>

/** Headers of the reader's request that limits, emails and the log use. */
const passedOn = ["cf-connecting-ip", "cf-ray", "user-agent"]

type Reader = {
  /** The service's origin. */
  url: string
  /** In which it shows itself. */
  language: Language
  /** Id of the user for whom the form was rendered: another tab may have signed another user in since. */
  believed: string | null
}

const down = new Set(["UNAVAILABLE", "SERVICE_MISCONFIGURED", "INTERNAL_SERVER_ERROR"])

/**
 * A `fetch` that calls the API as the reader's own browser would from a front end: with their cookies, which
 * answers change, and with the service's own origin. It notes what concerns every page, whatever the page makes
 * of the answer: an outage, and a session that has ended.
 */
export function callsOf(request: Request, { url, language, believed }: Reader, call: Call) {
  const noted = {
    /** Lines for the browser. */
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
    // Otherwise the client would wait and repeat, while the reader sees an empty page.
    if (noted.isDown) throw new Error(code)
    return answer
  }
  return { noted, send }
}
