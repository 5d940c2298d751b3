import type { Env } from "../service/configuration/env.ts"
import { type App, createApp } from "./authenticator-app.ts"
import { type Browser, copyBrowser, createBrowser } from "./browser.ts"
import { forgetAttempts } from "./clock.ts"
import type { createMailbox } from "./mailbox.ts"
import { password } from "./person.ts"

/** A member with a second factor, and what the service has sealed for them. */
export async function collectFactors(
  bound: Env,
  { mailbox, origin }: { mailbox: ReturnType<typeof createMailbox>; origin: string },
) {
  const credentials = { email: `bob-${crypto.randomUUID()}@example.com`, password }
  const browser = createBrowser(bound, origin)
  await browser.post("/api/auth/sign-up/email", { name: "Bob", ...credentials })
  await browser.open(await mailbox.linkOf(credentials.email, "Verify your e-mail address"))
  const signIn = (from: Browser) => from.post("/api/auth/sign-in/email", credentials)
  await signIn(browser)
  const begin = async () => {
    const begun = await browser.post("/api/v1/beginTotp", {})
    return begun.json<{ uri: string; enrolment: string }>()
  }
  const first = await begin()
  const code = createApp(first.uri).code()
  const on = await browser.post("/api/v1/confirmTotp", { enrolment: first.enrolment, code })
  const { recoveryCodes } = await on.json<{ recoveryCodes: string[] }>()
  const trusted = createBrowser(bound, origin)
  await signIn(trusted)
  const shown = { recoveryCode: recoveryCodes[0], trustBrowser: true }
  await trusted.post("/api/auth/sign-in/second-factor", shown)
  const asked = createBrowser(bound, origin)
  await signIn(asked)
  const next = await begin()
  const cookie = (from: Browser, kind: string) =>
    [...from.cookies].find(([name]) => name.endsWith(kind))?.[1] ?? ""
  return {
    factored: { browser, signIn, app: createApp(next.uri) },
    values: {
      trusted_browser: cookie(trusted, "trusted_browser"),
      sign_in_step: cookie(asked, "sign_in_step"),
      totp_enrolment: next.enrolment,
    },
  }
}

type Given = {
  factored: { browser: Browser; signIn: (from: Browser) => Promise<Response>; app: App }
}

/** As `uses`. The last one, which takes the place of the app of before, takes away what the others need. */
export function factorUses(
  origin: string,
  hostOnly: (kind: string, bound: Env) => string,
): Record<
  "trusted_browser" | "sign_in_step" | "totp_enrolment",
  (bound: Env, value: string, given: Given) => Promise<boolean>
> {
  const visitor = async (bound: Env, kind: string, value: string) => {
    // Each value is tried, and some attempts alone are let through.
    await forgetAttempts()
    const browser = createBrowser(bound, origin)
    browser.cookies.set(hostOnly(kind, bound), value)
    return browser
  }
  return {
    trusted_browser: async (bound, value, { factored }) =>
      (await factored.signIn(await visitor(bound, "trusted_browser", value))).status === 200,
    sign_in_step: async (bound, value) => {
      const browser = await visitor(bound, "sign_in_step", value)
      const body = { recoveryCode: "wrong" }
      return (await browser.post("/api/auth/sign-in/second-factor", body)).status === 400
    },
    totp_enrolment: async (bound, value, { factored }) => {
      const browser = copyBrowser(factored.browser, bound, origin)
      const body = { enrolment: value, code: factored.app.code() }
      return (await browser.post("/api/v1/confirmTotp", body)).status === 200
    },
  }
}
