import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { pages } from "../pages.ts"
import { bind, bindProduction, createBrowser } from "../testing/browser.ts"
import { createFailingDatabase } from "../testing/failing-database.ts"
import { openPageAccount } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"
import { password } from "../testing/person.ts"

const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
const markup = `"><script>alert('x')</script>`

/** Every page with an id in its path filled in. */
function pathsFor(id: string) {
  return pages.map(({ path }) => path.replace(":id", id))
}

test.each([
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "http://localhost:3000@evil.example/",
  "http://localhost:3000.evil.example/",
  "javascript:alert(1)",
  "http://localhost:8787/api/auth/sign-in/idp",
  "http:localhost:8787/account",
])("a sign-in does not return to %s", async (hostile) => {
  const { email } = await openPageAccount(bound)
  const stranger = createReader(bound)
  const search = `?return=${encodeURIComponent(hostile)}`
  const form = await stranger.open(`/sign-in${search}`)
  const signedIn = await stranger.submit(form, "sign-in", { email, password })
  expect(signedIn.at).toBe("/account")
})

test("every page forbids frames, scripts and what it has not brought, and hides a name's markup", async () => {
  const { reader, id } = await openPageAccount(bound, { name: markup, change: "role = 'owner'" })
  const ownScript = /\/pages-[\w-]{12}\.js/
  const scripted: string[] = []
  for (const path of pathsFor(id)) {
    const page = await reader.open(path, { "sec-fetch-site": "same-origin" })
    const { headers, html } = page
    if (headers.get("content-type")?.startsWith("text/html") !== true) continue
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'; base-uri 'none'$/)
    // The one script, by its own address, and the one call that it makes, of passkeys.
    const script = ` script-src http://localhost:8787${ownScript.exec(policy)?.[0]};`
    const call = " connect-src http://localhost:8787/api/auth/passkey/begin;"
    if (policy.includes(call)) scripted.push(path)
    expect(policy).toContain(script)
    expect(policy.replace(script, "").replace(call, "")).not.toMatch(/unsafe|script|connect/)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("referrer-policy")).toBe("same-origin")
    expect(html.replace(/<script src="\/pages-[\w-]{12}\.js" defer=""><\/script>/, "")).not.toMatch(
      /<script|<style| style=|\son\w+=/,
    )
    expect(html).toMatch(/^<!doctype html><html lang="en">/)
    expect(html.match(/<h1>/g)).toHaveLength(1)
  }
  expect(scripted).toEqual(["/account/passkeys", "/account/step-up"])
  const member = await reader.open(`/admin/members/${id}`, { "sec-fetch-site": "same-origin" })
  expect(member.text).toContain("alert('x')")
})

test("an outage is said as one, with no cookie touched", async () => {
  const { reader } = await openPageAccount(bound)
  const failing = { ...bound, DB: createFailingDatabase(env.DB, /select/i) }
  const unlucky = createReader(failing)
  for (const [name, value] of reader.browser.cookies) unlucky.browser.cookies.set(name, value)
  for (const path of ["/account", "/account/devices", "/sign-in"]) {
    const page = await unlucky.open(path)
    expect(page).toMatchObject({ status: 503, text: expect.stringContaining("not signed out") })
    expect(page.headers.getSetCookie()).toEqual([])
  }
  expect((await reader.open("/account")).status).toBe(200)
})

test("without the key there is no page at all", async () => {
  const browser = createBrowser(bindProduction(), null)
  for (const path of ["/", "/sign-in", "/account"]) {
    const answer = await browser.get(path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: "NOT_FOUND" })
  }
})

test("pages answer GET, HEAD and forms, and the API's paths stay its own", async () => {
  const reader = createReader(bound)
  const head = await reader.browser.send("HEAD", "/sign-in")
  expect([head.status, await head.text()]).toEqual([200, ""])
  const put = await reader.browser.send("PUT", "/sign-in")
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"])
  expect((await reader.open("/nothing-here")).status).toBe(404)
  expect(await (await reader.browser.get("/api/nothing")).json()).toMatchObject({
    code: "NOT_FOUND",
  })
})
