import { expect, test, vi } from "vitest"

import { pages } from "../pages.ts"
import { servicesOf } from "../services.ts"
import { apiUrl, bind, bindProduction } from "../testing/browser.ts"
import { stopClock } from "../testing/clock.ts"
import { imagineAnswer } from "../testing/imagined-answer.ts"
import { mail, openMailbox } from "../testing/mailbox.ts"
import { openPageAccount } from "../testing/page-owner.ts"
import { password } from "../testing/person.ts"
import { answerPage } from "./pages.tsx"
import { settingsOf } from "./settings.ts"
import { en } from "./words/en.ts"

const support = "https://example.com/help"

function to(path: string) {
  return new RegExp(`(?:href|action)="(?:${path})[?"]`)
}

/** Instructions in sentences, each with the link or form that a page with the sentence must have. */
const instructions: [sentence: RegExp, way: RegExp][] = [
  [/verify the address|opened the link|link no longer works|link is too old/i, to("/verify/again")],
  [/sign in (again|instead|to it)/i, to("/sign-(?:in|out)")],
  [/set one up|turn it on first|another one in its place/i, to("/account/second-factor")],
  [/add another one first|only sign-in method/i, to("/account/(?:ways|security)")],
  [/remove one first/i, to("/account/passkeys")],
  [/has no password/, to("/account/password")],
  [/ask those who run/i, to(support)],
  [/make another owner/i, to("/admin")],
  [/paid for/i, to("/account/payments")],
  [/plan does not allow/i, to("/account/plan")],
  [/look again/i, />Look again</],
]

/** Instructions that the form beside the sentence carries out, or that only another person can follow. */
const inPlace =
  /try (?:it )?again|try another|choose another|please (?:try|tick|enter|pass|choose|check)|open the link of an invitation|ask them to|we ask for your password|repeat this/i

const ofOrder =
  /(?:^|[.:,] )(?:and |please )?(?:verify|sign in|ask|open|turn|set|put|add|remove|look|show|make|try|choose)\b/i

const services = servicesOf(bind({ PAGES: "true" }))
if (services === null) throw new Error("the environment is refused")
const plain = settingsOf(services)
const settings = {
  ...plain,
  verifyEmail: true,
  signUp: "open" as const,
  passkeys: true,
  emailCode: true,
  secondFactor: true,
  look: { ...plain.look, links: { support } },
}

/** A page where the API refuses what its form sends, or what a provider's return says that it has refused. */
async function refuse(path: string, code: string, act?: string) {
  const page = pages.find((candidate) => candidate.path === path)
  const call = async (request: Request) => {
    if (request.method === "POST") return Response.json({ code }, { status: 400 })
    return Response.json(imagineAnswer(request, { text: "text", variant: 1 }))
  }
  const names = page?.forms?.find((form) => form.act === act)?.fields ?? {}
  // The first of a choice is one that there is.
  const values = Object.entries(names).map(([name, field]) => [
    name,
    field.is === "choice" ? (Object.keys(field.options(en))[0] ?? "") : "yes",
  ])
  const fields = { ...Object.fromEntries(values), act: act ?? "", sure: "yes" }
  const body = act === undefined ? null : new URLSearchParams(fields).toString()
  const message = `${settings.cookies.page_message}=${encodeURIComponent(settings.signMessage(`error=${code}`))}`
  const request = new Request(`${apiUrl}${path.replace(":id", "user_1")}`, {
    method: body === null ? "GET" : "POST",
    body,
    headers: {
      "accept-language": "en",
      "sec-fetch-site": "same-origin",
      origin: apiUrl,
      cookie: act === undefined ? `session=1; ${message}` : "session=1",
      "content-type": "application/x-www-form-urlencoded",
    },
  })
  return answerPage({ request, settings, call, name: () => {} })
}

/** Every sentence of the page that asks for something which it does not link. */
function deadEndsOf(html: string) {
  const words = html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
  return instructions.flatMap(([sentence, way]) =>
    sentence.test(words) && !way.test(html) ? [String(sentence.exec(words)?.[0])] : [],
  )
}

test("no refusal of any form on any page asks for something that the page does not link", async () => {
  const findings: string[] = []
  const codesShown = new Set<string>()
  const codes = Object.entries(en.codes).filter(
    ([, text]) => ofOrder.test(text) || instructions.some(([sentence]) => sentence.test(text)),
  )
  for (const { path, forms = [] } of pages.filter((page) => !page.path.endsWith(".json"))) {
    for (const [code] of codes) {
      for (const act of [undefined, ...forms.map((form) => form.act)]) {
        // A provider's return has codes of its own.
        if (act !== undefined && code !== code.toUpperCase()) continue
        const answer = await refuse(path, code, act)
        if (answer.headers.get("content-type")?.startsWith("text/html") !== true) continue
        const html = await answer.text()
        for (const [sentence] of instructions) {
          if (sentence.test(html)) codesShown.add(String(sentence))
        }
        findings.push(...deadEndsOf(html).map((words) => `${path} ${act ?? ""} ${code}: ${words}`))
      }
    }
  }
  expect(findings).toEqual([])
  expect(codesShown).toEqual(new Set(instructions.map(([sentence]) => String(sentence))))
})

test("the walk knows each sentence that gives an instruction", () => {
  const sentences = [...Object.values(en.codes), ...Object.values(en.suspended), en.askOperator]
  const unknown = sentences
    .filter((text) => ofOrder.test(text))
    .filter(
      (text) => !inPlace.test(text) && !instructions.some(([sentence]) => sentence.test(text)),
    )
  expect(unknown).toEqual([])
})

const open = { PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined }

test("a member whose address is not verified gets the email again on each page that asks for it", async () => {
  openMailbox()
  const { reader } = await openPageAccount(bind({ ...mail, ...open }))
  for (const path of ["/account", "/account/passkeys", "/account/second-factor?app=yes"]) {
    const page = await reader.open(path)
    const resent = await reader.submit(page, "again")
    expect(resent.text).toContain("an email is on its way")
    expect(resent.html).toContain(`href="${apiUrl}${path}"`)
  }
})

test("a sign-in before the link was opened offers the email again, to known and unknown addresses", async () => {
  const mailbox = openMailbox()
  const { reader, email } = await openPageAccount(bindProduction(open))
  await mailbox.arrived(1)
  for (const address of [email, `none-${email}`]) {
    const refused = await reader.submit(await reader.open("/sign-in"), "sign-in", {
      email: address,
      password,
    })
    expect(refused.text).toContain("not opened the link in our email yet")
    expect(refused.at).not.toContain("page-")
    const resent = await reader.submit(refused, "again")
    expect([resent.at, resent.text]).toEqual([
      "/sign-up/sent",
      expect.stringContaining("an email is on its way"),
    ])
  }
  expect((await mailbox.arrived(2)).map((letter) => letter.to)).toEqual([email, email])
})

test("a damaged or used link offers a new one at once", async () => {
  const mailbox = openMailbox()
  const { reader, email } = await openPageAccount(bindProduction(open))
  const link = await mailbox.linkOf(email, "Verify your email address")
  const damaged = await reader.open(link.replace("token=", "token=x"))
  expect(damaged.at).toBe("/verify/again")
  expect((await reader.submit(damaged, "again", { email })).text).toContain("is on its way")
  await reader.open(await mailbox.linkOf(email, "Verify your email address"))
  await reader.submit(await reader.open("/forgotten"), "send", { email })
  const reset = await mailbox.linkOf(email, "Reset your password")
  await reader.submit(await reader.open(reset), "reset", { newPassword: `${password} 2` })
  const used = await reader.open(reset)
  expect(used.html).toMatch(to("/forgotten"))
  expect(used.html).not.toContain("newPassword")
})

test("a link that has really expired offers a new one, which works", async () => {
  const mailbox = openMailbox()
  using _clock = stopClock()
  const { reader, email } = await openPageAccount(bindProduction(open))
  const link = await mailbox.linkOf(email, "Verify your email address")
  vi.setSystemTime(Date.now() + 25 * 3600_000)
  const expired = await reader.open(link)
  expect(expired.at).toBe("/verify/again")
  await reader.submit(expired, "again", { email })
  const fresh = /https?:\/\/\S+/.exec((await mailbox.arrived(2))[1]?.text ?? "")?.[0] ?? ""
  // The browser no longer remembers a sign-up this old.
  const proven = await reader.submit(await reader.open(fresh), "prove", { password })
  expect(proven.text).toContain("Your address is verified")
  await reader.submit(await reader.open("/forgotten"), "send", { email })
  const reset = await mailbox.linkOf(email, "Reset your password")
  vi.setSystemTime(Date.now() + 2 * 3600_000)
  const late = await reader.open(reset)
  expect(late.html).toMatch(to("/forgotten"))
  expect(late.html).not.toContain("newPassword")
})
