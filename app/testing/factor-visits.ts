import { env } from "cloudflare:workers"

import type { Env } from "../service/configuration/env.ts"
import { createApp } from "./authenticator-app.ts"
import { createBrowser } from "./browser.ts"
import { later } from "./factor-person.ts"
import { createProvenPerson } from "./passkey-person.ts"

type Measure = (name: string, action: () => Promise<unknown>) => Promise<unknown>

/** Calls every route of second factors the way pages do. */
export async function visitSecondFactors(bound: Env, measure: Measure) {
  const holder = await createProvenPerson(bound)
  const { browser, id, email, password } = holder
  let begun = Object()
  await measure("beginTotp", async () => {
    begun = (await holder.post("beginTotp", {})).body
  })
  const app = createApp(begun.uri)
  const { enrolment } = begun
  await measure("confirmTotp", () => holder.post("confirmTotp", { enrolment, code: app.code() }))
  const entering = createBrowser(bound)
  const signIn = () => entering.post("/api/auth/sign-in/email", { email, password })
  await measure("sign-in, second factor asked", signIn)
  await later(id)
  await measure("sign-in, second factor", () =>
    entering.post("/api/auth/sign-in/second-factor", { code: app.code(), trustBrowser: true }),
  )
  // As the answer may have been lost that brought the trust.
  await env.DB.prepare("delete from trusted_browser where user_id = ?").bind(id).run()
  entering.cookies.clear()
  await signIn()
  await later(id)
  await entering.post("/api/auth/sign-in/second-factor", { code: app.code(), trustBrowser: true })
  await measure("sign-in, trusted browser", signIn)
  await later(id)
  await measure("step-up, code", () => browser.post("/api/auth/step-up", { code: app.code() }))
  let codes: string[] = []
  await measure("renewRecoveryCodes", async () => {
    codes = Object((await holder.post("renewRecoveryCodes", {})).body).recoveryCodes
  })
  await measure("step-up, recovery code", () =>
    browser.post("/api/auth/step-up", { recoveryCode: codes[0] }),
  )
  await measure("forgetBrowsers", () => holder.post("forgetBrowsers", {}))
  await browser.post("/api/auth/revoke-other-sessions")
  await measure("turnOffSecondFactor", () => holder.post("turnOffSecondFactor", {}))
}
