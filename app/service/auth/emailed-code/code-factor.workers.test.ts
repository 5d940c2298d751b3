import { expect, test } from "vitest"

import { createBrowser } from "../../../testing/browser.ts"
import { createFactorPerson, finish, later } from "../../../testing/factor-person.ts"
import { openCodes } from "./testing/code-mail.ts"

test("a code from an e-mail asks for the second factor, and opens nothing by itself", async () => {
  const codes = openCodes()
  const { id, email, app } = await createFactorPerson(codes.bound)
  const browser = createBrowser(codes.bound)
  const code = await codes.codeFor(browser, email)
  const halfway = await codes.enter(browser, code)
  expect([halfway.status, await halfway.json()]).toMatchObject([
    403,
    { code: "SECOND_FACTOR_REQUIRED", data: { ways: ["totp", "recovery"] } },
  ])
  expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()
  // It is spent, in this browser and in one that has its cookies.
  expect((await codes.enter(browser, code)).status).toBe(400)

  const shown = await finish(browser, { code: app.code(), trustBrowser: true })
  expect(shown).toMatchObject({ status: 200, body: { user: { id, email } } })
  await later(id)
  // A browser that is trusted needs the code alone.
  const again = await codes.enter(browser, await codes.codeFor(browser, email))
  expect([again.status, await again.json()]).toMatchObject([200, { user: { id } }])
})
