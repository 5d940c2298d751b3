import type { Env } from "../service/platform/configuration/env.ts"
import { apiUrl, createBrowser } from "./browser.ts"

type Headers = Record<string, string>

function textOf(html: string) {
  return html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
}

function attribute(tag: string, name: string) {
  return textOf(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "")
}

/** Returns a form of the page: its target, and the values that it sends unchanged. */
function formOf(html: string, act: string) {
  const forms = html.match(/<form[^]*?<\/form>/g) ?? []
  const match = forms.find((form) => form.includes(`value="${act}"`))
  if (match === undefined) throw new Error(`The page has no form "${act}": ${textOf(html)}`)
  const inputs = (match.match(/<input[^>]*>/g) ?? []).filter(
    (tag) => attribute(tag, "type") !== "checkbox" || tag.includes("checked"),
  )
  const choices = (match.match(/<select[^]*?<\/select>/g) ?? []).map((choice) => {
    const options = choice.match(/<option[^>]*>/g) ?? []
    const chosen = options.find((tag) => /\bselected\b/.test(tag)) ?? options[0] ?? ""
    return [attribute(choice, "name"), attribute(chosen, "value")]
  })
  const fields = inputs.map((tag) => [attribute(tag, "name"), attribute(tag, "value")])
  const headers: Headers = Object.fromEntries([...fields, ...choices])
  return { action: attribute(match, "action"), fields: headers }
}

/** Creates a reader who uses the pages in a browser without scripts, follows links, and submits forms. */
export function createReader(bound: Env) {
  const url = bound.AUTH_URL ?? apiUrl
  const browser = createBrowser(bound, null)
  /** Every URL that the browser has been at. */
  const history: string[] = []

  const arrive = async (response: Response, from: string) => {
    let answer = response
    let at = from
    for (let hops = 0; hops < 10 && answer.status >= 300 && answer.status < 400; hops += 1) {
      at = new URL(answer.headers.get("location") ?? "", new URL(at, url)).href
      if (!at.startsWith(`${url}/`)) break
      history.push(at)
      answer = await browser.open(at)
    }
    const html = await answer.clone().text()
    const { status, headers } = answer
    return { at: at.replace(url, ""), status, headers, html, text: textOf(html), answer }
  }

  const open = async (path: string, headers: Headers = {}) => {
    history.push(path)
    return arrive(await browser.send("GET", path, { headers }), path)
  }

  const post = (path: string, fields: Headers, headers: Headers = {}) =>
    browser.send("POST", path, {
      headers: {
        origin: url,
        "sec-fetch-site": "same-origin",
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    })

  /** Fills the form with the button and sends it; a field that is null is left out. */
  const submit = async (
    page: { html: string },
    act: string,
    filled: Record<string, string | null> = {},
  ) => {
    const { action, fields } = formOf(page.html, act)
    const values = new URLSearchParams({ ...fields, act })
    for (const [name, value] of Object.entries(filled)) {
      if (value === null) values.delete(name)
      else values.set(name, value)
    }
    history.push(action)
    return arrive(await post(action, Object.fromEntries(values)), action)
  }
  return {
    browser,
    history,
    open,
    post,
    submit,
    /** Submits a form that asks for a confirmation, and confirms it. */
    confirm: async (...args: Parameters<typeof submit>) => submit(await submit(...args), args[1]),
  }
}
