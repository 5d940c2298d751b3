import { createHash } from "node:crypto"

import { html } from "hono/html"
import type { Child } from "hono/jsx"

import { pageFiles } from "../page-paths.ts"
import { pages } from "../pages.ts"
import { secondFactorPage } from "./account/second-factor.tsx"
import type { Page } from "./form.tsx"
import { Layout, Notice } from "./layout.tsx"
import { Go, type Problem, Refused, Show } from "./outcome.ts"
import { pageScript } from "./page-script.ts"
import { Refusal } from "./refusal.tsx"
import type { Call } from "./service-call.ts"
import type { Settings } from "./settings.ts"
import { stylesheetIn } from "./stylesheet.ts"
import { createVisit, type Visit } from "./visit.ts"

function stylesheetOf({ look }: Settings) {
  const text = stylesheetIn(look.color)
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 12)
  return { text, path: `${pageFiles}${digest}.css` }
}

type Asked = {
  request: Request
  settings: Settings
  call: Call
  /** Tells the log the page's route, because paths and queries may contain tokens. */
  name: (route: string) => void
}

/** Answers every path that does not belong to the API. */
export async function answerPage({ request, settings, call, name }: Asked): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith(pageFiles)) return answerFile(pathname, settings)
  const page = pages.find(({ path }) => patternOf(path).test(pathname))
  name(page?.path ?? "none")
  const { method } = request
  if (!["GET", "HEAD", "POST"].includes(method)) {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD, POST" } })
  }
  if (method === "POST" && !isOwnForm(request, settings)) {
    const headers = { "accept-language": request.headers.get("accept-language") ?? "" }
    const visit = await createVisit({
      request: new Request(request.url, { headers }),
      settings,
      call,
    })
    const { refusedForm, refusedFormText: text } = visit.words
    return render(visit, { title: refusedForm, status: 403, content: <Notice text={text} /> })
  }
  const visit = await createVisit({ request, settings, call })
  const answer = await answerWith(visit, page, request)
  return method === "HEAD" ? new Response(null, answer) : answer
}

/** Sibling domains may send forms with the session's cookie, and a sandboxed page has the origin `null`. */
function isOwnForm({ headers }: Request, { url }: Settings) {
  const site = headers.get("sec-fetch-site") ?? "same-origin"
  const type = headers.get("content-type") ?? ""
  const isForm = type.startsWith("application/x-www-form-urlencoded")
  return isForm && headers.get("origin") === url && site === "same-origin"
}

function patternOf(path: string) {
  return new RegExp(`^${path.replaceAll(/:\w+/g, "[\\w-]{1,64}")}$`)
}

async function answerWith(visit: Visit, page: Page | undefined, request: Request) {
  const { noted, words } = visit
  if (noted.isDown) return sayDown(visit)
  if (page === undefined || !isFor(visit, page)) return refuse(visit, page, request.method)
  if (page.audience === "admin" && request.method !== "POST" && isFromElsewhere(request, visit)) {
    const { fromElsewhere: title, fromElsewhereText: text, continue: link } = words
    const to = `${visit.path}${new URL(request.url).search}`
    return render(visit, {
      title,
      status: 200,
      content: <Notice text={text} to={to} link={link} />,
    })
  }
  try {
    const acted = request.method === "POST" ? await act(visit, page) : visit
    const result = acted instanceof Show || acted instanceof Go ? acted : await page.show(acted)
    const answer = result instanceof Show ? result.content : result
    if (noted.isDown) return sayDown(visit)
    if (noted.hasEnded) return redirect(visit, new Go(signInFor(visit), "ended"))
    if (answer instanceof Response) return withCookies(visit, answer)
    if (answer instanceof Go) {
      return isForeign(visit, answer) ? await leave(visit, answer) : redirect(visit, answer)
    }
    const { refused } = acted instanceof Go || acted instanceof Show ? visit : acted
    const content = await html`${answer}`
    const isUnsaid = refused !== undefined && !refused.isSaid
    return render(visit, {
      title: (result instanceof Show ? result.title : undefined) ?? page.title(words),
      status: statusOf(refused?.problem.code),
      content: isUnsaid ? [<Refusal problem={refused.problem} visit={visit} />, content] : content,
      page,
    })
  } catch (error) {
    if (noted.isDown) return sayDown(visit)
    if (noted.hasEnded) return redirect(visit, new Go(signInFor(visit), "ended"))
    if (!(error instanceof Refused)) throw error
    const { problem } = error
    const proof = proofFor(visit, problem)
    if (proof !== undefined) return redirect(visit, proof)
    const content = <Refusal problem={problem} visit={visit} />
    const status = problem.code === "NOT_FOUND" ? 404 : statusOf(problem.code)
    return render(visit, { title: page.title(words), status, content, page })
  }
}

/** Runs the form's action. Returns the visit with the refusal if the page must show its form again. */
async function act(visit: Visit, page: Page): Promise<Go | Show | Visit> {
  const name = visit.field("act")
  const chosen = page.forms?.find((form) => form.act === name)
  const isDoubted = page.audience !== "anyone" && page.isProof !== true && !visit.isOwn
  const outcome = (isDoubted ? await doubt(visit) : await chosen?.submit(visit)) ?? {
    code: "other",
  }
  if (outcome instanceof Go || outcome instanceof Show) return outcome
  return (
    proofFor(visit, outcome) ?? {
      ...visit,
      refused: { act: name, problem: outcome, isSaid: false },
    }
  )
}

/** Returns the API's refusal for a browser that did not open the session, with the methods to prove it. */
async function doubt({ api }: Visit) {
  return (await api.user.beginTotp()).error
}

function statusOf(code: string | undefined) {
  if (code === undefined) return 200
  return code === "TOO_MANY_REQUESTS" || code === "TOO_MANY_ATTEMPTS" ? 429 : 400
}

function isFor({ session }: Visit, { audience }: Page) {
  if (audience === "anyone") return true
  if (session === null) return false
  return audience === "member" || session.user.role !== "member"
}

function pageOf({ here, settings }: Visit) {
  return `${settings.url}${here()}`
}

function signInFor(visit: Visit) {
  return `/sign-in?return=${encodeURIComponent(pageOf(visit))}`
}

/**
 * Links the step-up, or the page that sets up a missing second factor. The member repeats the action afterwards,
 * because a form's fields must not be in a URL.
 */
function proofFor(visit: Visit, { code, ways = [] }: Problem) {
  const isMissing = code === "SECOND_FACTOR_MISSING"
  if (!isMissing && code !== "STEP_UP_REQUIRED") return undefined
  // The set-up page refuses a member who already has a factor that is switched off here.
  const isFirst = isMissing && ways.length === 0 && visit.path !== secondFactorPage.path
  if (isFirst) return new Go(secondFactorPage.path, "factor")
  const query = new URLSearchParams({ return: pageOf(visit), ways: ways.join(" ") })
  return new Go(`/account/step-up?${query.toString()}`)
}

/** Refuses admins' pages to members, and sends visitors without a session to the sign-in. */
function refuse(visit: Visit, page: Page | undefined, method: string) {
  if (page !== undefined && visit.session === null) {
    // The sender of a form was signed in when the page was rendered.
    return redirect(visit, new Go(signInFor(visit), method === "POST" ? "ended" : undefined))
  }
  const { words, settings } = visit
  const isLocal = page?.audience === "admin" && settings.environment === "local"
  const email = visit.session?.user.email
  const content = isLocal ? (
    <>
      <p>{words.firstOwner}</p>
      <pre>{`./accounts owner grant ${email} -s local --unverified`}</pre>
    </>
  ) : (
    <Notice text={words.codes.NOT_FOUND} to="/" link={words.continue} />
  )
  return render(visit, { title: words.notHere, status: 404, content })
}

/**
 * Pages of admins write to the audit log, so no link of another site may open them. A link in an email looks
 * like a typed address, because a mail program is not a site.
 */
function isFromElsewhere({ headers }: Request, { settings }: Visit) {
  const site = headers.get("sec-fetch-site")
  if (site !== null) return site !== "same-origin"
  return !(headers.get("referer") ?? "").startsWith(`${settings.url}/`)
}

async function sayDown(visit: Visit) {
  const { down: title, downText: text, retry: link } = visit.words
  // An outage changes no cookie.
  visit.noted.cookies.length = 0
  const content = <Notice text={text} to={visit.path} link={link} />
  const answer = await render(visit, { title, status: 503, content })
  answer.headers.set("retry-after", "5")
  return answer
}

function redirect(visit: Visit, { to, done }: Go) {
  if (done !== undefined) visit.write("page_message", `done=${done}`)
  return withCookies(visit, new Response(null, { status: 303, headers: { location: to } }))
}

function isForeign({ settings }: Visit, { to }: Go) {
  return !to.startsWith("/") && !settings.trustedOrigins.includes(new URL(to).origin)
}

/** Links to a provider of sign-ins or payments, because a form may not be redirected to its page. */
async function leave(visit: Visit, { to }: Go) {
  const { words } = visit
  const { href, host, protocol } = new URL(to)
  if (!/^https?:$/.test(protocol)) throw new Refused({ code: "other" })
  const content = <Notice text={words.leavingText} to={href} link={words.continue} />
  const answer = await render(visit, { title: words.leaving(host), status: 200, content })
  answer.headers.set("refresh", `0; url=${href}`)
  return answer
}

type Shown = { title: string; status: number; content: Child; page?: Page }

async function render(visit: Visit, { title, status, content, page }: Shown) {
  if (visit.read("page_message")) visit.write("page_message", "")
  const menu = pages.filter((menuPage) => menuPage.isInMenu === true && isFor(visit, menuPage))
  const isInside = page !== undefined && page.audience !== "anyone"
  const text = await html`<!doctype html>${(
      <Layout
        visit={visit}
        title={title}
        stylesheet={stylesheetOf(visit.settings).path}
        menu={isInside ? menu : []}
        page={page}
      >
        {content}
      </Layout>
    )}`
  const { trustedOrigins, url, look } = visit.settings
  const images = look.logo === undefined ? "data:" : `data: ${new URL(look.logo).origin}`
  const origins = trustedOrigins.filter((origin) => origin !== url)
  return withCookies(
    visit,
    new Response(text.toString(), {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-language": visit.language,
        // Chromium also applies `form-action` to a form's redirects, and the last one leads to the front end.
        "content-security-policy": `default-src 'none'; style-src 'self'; img-src ${images};${scriptsOf(visit, page)} form-action ${["'self'", ...origins].join(" ")}; frame-ancestors 'none'; base-uri 'none'`,
        // With `no-referrer`, a browser would send `Origin: null` with the forms.
        "referrer-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
      },
    }),
  )
}

/** Returns the policy directives for the script of all pages, and for what this page's forms need. */
function scriptsOf({ settings }: Visit, { forms = [] }: Partial<Page> = {}) {
  const { turnstile, passkeys, url } = settings
  const asksWidget = forms.some(({ fields }) =>
    Object.values(fields).some(({ is }) => is === "turnstile"),
  )
  const widget = asksWidget ? turnstile?.url : undefined
  const asksDevice = passkeys && forms.some(({ passkey }) => passkey !== undefined)
  return [
    ` script-src ${[url + pageScript.path, widget].filter(Boolean).join(" ")};`,
    widget && ` frame-src ${widget};`,
    asksDevice && ` connect-src ${url}/api/auth/passkey/begin;`,
  ]
    .filter(Boolean)
    .join("")
}

function withCookies({ noted }: Visit, answer: Response) {
  for (const line of noted.cookies) answer.headers.append("set-cookie", line)
  return answer
}

function answerFile(pathname: string, settings: Settings) {
  const isScript = pathname.endsWith(".js")
  const { text, path } = isScript ? pageScript : stylesheetOf(settings)
  const isCurrent = pathname === path
  return new Response(text, {
    headers: {
      "content-type": `text/${isScript ? "javascript" : "css"}; charset=utf-8`,
      // During a gradual release, another version may have rendered the page.
      "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-store",
    },
  })
}
