import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { openPageAccount } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"
import { password } from "../testing/person.ts"

test.each([
  ["an address", "sign-up", { name: "Ada", email: "nobody", password }, "email"],
  ["a password", "sign-up", { name: "Ada", email: "a@example.com", password: "short" }, "password"],
  ["a name", "sign-up", { name: "", email: "a@example.com", password }, "name"],
])("%s that is refused has its words at its field", async (_, act, filled, name) => {
  const reader = createReader(bind({ PAGES: "true" }))
  const refused = await reader.submit(await reader.open("/sign-up"), act, filled)
  expect(refused.status).toBe(400)
  const id = `${act}-${name}`
  expect(refused.html).toMatch(new RegExp(`<input[^>]*id="${id}"[^>]*aria-invalid="true"`))
  expect(refused.html).toContain(`role="alert" id="${id}-bad"`)
  expect(refused.html.match(/role="alert"/g)).toHaveLength(1)
})

test("a choice that was not offered, and a button that there is not, change nothing", async () => {
  const { reader } = await openPageAccount(bind({ PAGES: "true" }), { name: "Ada" })
  const page = await reader.open("/account")
  for (const act of ["nothing", "constructor", "__proto__"]) {
    const refused = await reader.submit(page, "save", { act, name: "Mallory" })
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining("did not work") })
  }
  expect((await reader.open("/account")).text).toContain("Signed in as Ada")
})

test("a password can be shown by the script, and without it nothing of that is seen or sent", async () => {
  const { html } = await createReader(bind({ PAGES: "true" })).open("/sign-up")
  expect(html).toMatch(
    /<label class="tick" hidden[^>]*><input type="checkbox" data-shows="sign-up-password"/,
  )
  expect(html).toMatch(/<input type="password" id="sign-up-password"/)
  expect(html).toMatch(/<script src="\/pages-[\w-]{12}\.js" defer=""><\/script>/)
})
