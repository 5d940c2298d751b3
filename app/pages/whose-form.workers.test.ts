import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { openPageAccount, openPageOwner } from "../testing/page-owner.ts"

const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

function join() {
  return openPageAccount(bound)
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
  expect(answer.html).toContain('<a href="/account">Look again</a>')
  expect([await ada.select("name"), await gus.select("name")]).toEqual(["Ona", "Ona"])
  const profile = await ada.reader.open("/account")
  expect((await ada.reader.submit(profile, "save", { name: "Gus" })).status).toBe(200)
  expect(await gus.select("name")).toBe("Gus")
})

test.each(["", "no\nheader", "\u65e5", "\0"])(
  "a form without a valid user, %j, does nothing",
  async (who) => {
    const { reader, select } = await join()
    const fields = { act: "save", name: "Gus", language: "browser", "accounts-user": who }
    expect((await reader.post("/account", fields)).status).toBe(400)
    expect(await select("name")).toBe("Ona")
  },
)

test("no page is without a word for whom each of its forms was made", async () => {
  const { open, id } = await openPageOwner(bound)
  let forms = 0
  for (const path of ["/account", "/account/data", "/account/address", "/admin/invitations"]) {
    const page = await open(path)
    for (const form of page.html.match(/<form method="post"[^]*?<\/form>/g) ?? []) {
      expect(form).toContain(`name="accounts-user" value="${id}"`)
      forms += 1
    }
  }
  expect(forms).toBeGreaterThan(3)
})
