import { afterEach, expect, test, vi } from "vitest"

import { pages } from "../pages.ts"
import { servicesOf } from "../services.ts"
import { apiUrl, bind } from "../testing/browser.ts"
import { imagineAnswer } from "../testing/imagined-answer.ts"
import type { Page } from "./form.tsx"
import { answerPage } from "./pages.tsx"
import { settingsOf } from "./settings.ts"

/** Ends any text, attribute, comment and element. */
const markup = `"'--></title></textarea></pre><m-arker onmarker=1>`
const script = "javascript:alert(1)//"
/** As many variants as the longest list of what an answer may say where a page decides by it. */
const variants = [0, 1, 2, 3, 4, 5]

const services = servicesOf(bind({ PAGES: "true" }))
if (services === null) throw new Error("the environment is refused")
const plain = { ...settingsOf(services), emailCode: true, secondFactor: true }
/** Settings that an operator could fill in if stack files were not checked. */
const settings = {
  ...plain,
  look: { ...plain.look, name: markup, logo: `https://cdn.example/${markup}` },
  providers: [markup],
  localPages: [[markup, "http://localhost:1"]] satisfies [string, string][],
}

type Shown = {
  page: Page
  text: string
  variant?: number
  language?: string
  query?: [string, string][]
  cookie?: string
  /** Fields that a form sends, and the error of the API; undefined if it succeeds. */
  sent?: Record<string, string>
  refusal?: object | undefined
}

/** Renders a page with generated responses and without the rest of the service. */
async function show(input: Shown) {
  const { page, text, variant = 1, language = "en", query = [], sent, refusal } = input
  const search = new URLSearchParams(query).toString()
  const url = `${apiUrl}${page.path.replace(":id", "user_1")}?${search}`
  const call = async (upstream: Request) => {
    if (refusal !== undefined && upstream.method === "POST") {
      return Response.json(refusal, { status: 400 })
    }
    if (upstream.url.includes("/reset-password/")) {
      return new Response(null, { status: 302, headers: { location: `${apiUrl}/?token=1` } })
    }
    const answer = imagineAnswer(upstream, { text, variant })
    // Else the download goes on for ever.
    const isExport = upstream.url.includes("/exportData")
    return Response.json(isExport ? { ...Object(answer), nextCursor: null } : answer)
  }
  const headers = {
    "accept-language": language,
    "sec-fetch-site": "same-origin",
    cookie: input.cookie ?? "session=1",
    origin: apiUrl,
    "content-type": "application/x-www-form-urlencoded",
  }
  const body = sent && new URLSearchParams(sent).toString()
  const request = new Request(url, { headers, ...(body && { method: "POST", body }) })
  return answerPage({ request, settings, call, name: () => {} })
}

/** Where no link may lead. */
const hostile = /^\s*(javascript:|data:text|(https?:)?[\\/]{2}evil)/i
const places = new Set(["href", "src", "action", "formaction", "data", "srcdoc", "content"])

/** Parses the page like a browser: elements and attributes that the text created, and hostile links. */
async function madeOf(answer: Response) {
  const elements: string[] = []
  const html = answer.headers.get("content-type")?.startsWith("text/html") ? answer : new Response()
  const texts = (await html.clone().text()).split(/m-arker|alert\(1\)/).length - 1
  const read = new HTMLRewriter().on("*", {
    element: ({ tagName, attributes }) => {
      if (tagName === "m-arker") elements.push(tagName)
      for (const [name = "", value = ""] of attributes) {
        if (name.startsWith("on") || name === "style") elements.push(`${tagName} ${name}`)
        if (places.has(name) && hostile.test(value)) {
          elements.push(`${tagName} ${name}=${value}`)
        }
      }
    },
  })
  await read.transform(html).arrayBuffer()
  const leads = `${answer.headers.get("location") ?? ""}${answer.headers.get("refresh") ?? ""}`
  if (/["<>]/.test(leads) || hostile.test(leads.replace(/^0; url=/, ""))) elements.push(leads)
  return { made: elements, texts }
}

/** Names that the page asks a link for, found by what it asks. */
async function namesAskedBy(page: Page, text: string) {
  const asks = [
    vi.spyOn(URLSearchParams.prototype, "get"),
    vi.spyOn(URLSearchParams.prototype, "has"),
  ]
  for (const cookie of ["", "session=1"]) await show({ page, text, cookie })
  const names = asks.flatMap(({ mock }) => mock.calls.map(([name]) => name))
  vi.restoreAllMocks()
  return [...new Set(names)]
}

afterEach(() => vi.restoreAllMocks())

test.each([markup, script])("whatever the API says is text on every page: %s", async (text) => {
  const findings: string[] = []
  let texts = 0
  for (const page of pages) {
    for (const language of ["en", "de"]) {
      for (const variant of variants) {
        const { made, texts: count } = await madeOf(await show({ page, text, variant, language }))
        findings.push(...made.map((element) => `${page.path} ${language}: ${element}`))
        texts += count
      }
    }
  }
  expect([...new Set(findings)]).toEqual([])
  expect(texts).toBeGreaterThan(1000)
})

test.each([markup, script, "https://evil.example/", "//evil.example", "/\\evil.example"])(
  "whatever a link or a cookie says is text on every page, and leads nowhere: %s",
  async (text) => {
    const asks = new Set<string>()
    const cookies = Object.values(settings.cookies).map(
      (name) => `${name}=${encodeURIComponent(text)}`,
    )
    const findings: string[] = []
    for (const page of pages) {
      const names = await namesAskedBy(page, text)
      for (const name of names) asks.add(name)
      for (const session of ["session=1; ", ""]) {
        const cookie = `${session}${cookies.join("; ")}`
        const queries = names.map((name): [string, string] => [name, text])
        for (const query of [queries, ...queries.map((parameter) => [parameter])]) {
          const { made } = await madeOf(await show({ page, text: "text", query, cookie }))
          findings.push(
            ...made.map(
              (element) => `${page.path}?${query.map(([name]) => name).join("&")}: ${element}`,
            ),
          )
        }
      }
    }
    expect([...asks]).toEqual(expect.arrayContaining(["return", "to", "ways", "error", "token"]))
    expect([...new Set(findings)]).toEqual([])
  },
)

test.each([markup, script])(
  "whatever a form sends, and the API says of it, is text: %s",
  async (text) => {
    const findings: string[] = []
    let looked = 0
    for (const page of pages) {
      for (const { act, fields } of page.forms ?? []) {
        const names = Object.keys(fields)
        const body = { ...Object.fromEntries(names.map((name) => [name, text])), act }
        for (const code of [
          undefined,
          text,
          "STEP_UP_REQUIRED",
          "SECOND_FACTOR_REQUIRED",
          "BAD_REQUEST",
        ]) {
          const issues = names.map((name) => ({ path: [name], message: text }))
          const data = { issues, ways: [text], reason: text }
          const refusal = code === undefined ? undefined : { code, message: text, issues, data }
          for (const language of ["en", "de"]) {
            const { made } = await madeOf(await show({ page, text, sent: body, refusal, language }))
            findings.push(...made.map((element) => `${page.path} ${act} ${code}: ${element}`))
            looked += 1
          }
        }
      }
    }
    expect(looked).toBeGreaterThan(400)
    expect([...new Set(findings)]).toEqual([])
  },
)
