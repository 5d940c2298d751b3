import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { createReader } from "../testing/page-reader.ts"

const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

async function join() {
  const reader = createReader(bound)
  const email = `form-${crypto.randomUUID()}@example.com`
  const form = await reader.open("/sign-up")
  await reader.submit(form, "sign-up", { name: "Ona", email, password: "a good long password" })
  const select = (column: string) =>
    env.DB.prepare(`select ${column} from user where email = ?`).bind(email).first(column)
  return { reader, select }
}

test("a form acts for whom it was made, and not for whom another tab has signed in since", async () => {
  const [ada, gus] = [await join(), await join()]
  const page = await ada.reader.open("/account")
  for (const [name, value] of gus.reader.browser.cookies) {
    ada.reader.browser.cookies.set(name, value)
  }
  const answer = await ada.reader.submit(page, "save", { name: "Ada" })
  expect([answer.status, answer.text]).toEqual([
    400,
    expect.stringContaining("Another account is signed in now"),
  ])
  expect([await ada.select("name"), await gus.select("name")]).toEqual(["Ona", "Ona"])
  const profile = await ada.reader.open("/account")
  expect((await ada.reader.submit(profile, "save", { name: "Gus" })).status).toBe(200)
  expect(await gus.select("name")).toBe("Gus")
})

test.each(["", "no\nheader", "\u65e5", "\0"])(
  "a form for nobody, %j, does nothing",
  async (who) => {
    const { reader, select } = await join()
    const fields = { act: "save", name: "Gus", language: "browser", "accounts-user": who }
    expect((await reader.post("/account", fields)).status).toBe(400)
    expect(await select("name")).toBe("Ona")
  },
)

test("no page is without a word for whom each of its forms was made", async () => {
  const { reader, select } = await join()
  await env.DB.prepare("update user set role = 'owner' where id = ?")
    .bind(await select("id"))
    .run()
  let forms = 0
  for (const path of ["/account", "/account/data", "/account/address", "/admin/invitations"]) {
    const page = await reader.open(path, { "sec-fetch-site": "same-origin" })
    for (const form of page.html.match(/<form method="post"[^]*?<\/form>/g) ?? []) {
      expect(form).toContain(`name="accounts-user" value="${String(await select("id"))}"`)
      forms += 1
    }
  }
  expect(forms).toBeGreaterThan(3)
})
