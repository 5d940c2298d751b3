import type { CDPSession, Page } from "playwright-core"
import { expect } from "vitest"

import { copyCheckout } from "../checkout.ts"
import { followStart } from "../start-process.ts"
import { openBrowser } from "./browser.ts"

export const password = "correct horse battery"

/** A device that verifies its owner and keeps passkeys, as a telephone does. */
const telephone = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

export async function addDevice(devices: CDPSession) {
  const { authenticatorId } = await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: telephone,
  })
  return authenticatorId
}

async function verify(page: Page) {
  await page.getByRole("link", { name: "emails" }).click()
  const link = page.getByRole("link", { name: /verify-email/ })
  await expect
    .poll(async () => (await page.reload(), link.count()), { timeout: 60_000 })
    .toBeGreaterThan(0)
  await page.goto((await link.first().getAttribute("href")) ?? "")
  await page.getByRole("heading", { name: "Your address is verified" }).waitFor()
}

export type MemberSite = Awaited<ReturnType<typeof openMemberSite>>

/** Runs `npm start` in a copy of this checkout, and a browser. */
export async function openMemberSite() {
  await using opened = new AsyncDisposableStack()
  const checkout = opened.use(copyCheckout())
  const { state } = checkout
  const start = opened.use(
    await followStart(checkout.spawn("start", "--state", state, "--port", "0", "--api-port", "0")),
  )
  const browser = await openBrowser("")
  opened.defer(() => browser.close())
  const resources = opened.move()
  return {
    url: start.url,
    checkout,

    /**
     * Opens a browser of a member with a verified address and a device. The device answers immediately if a page
     * offers passkeys, faster than any user, so the browser offers none unless it is asked to.
     */
    async openMember(email: string, { offersPasskeys = false } = {}) {
      const context = await browser.newContext()
      if (!offersPasskeys) {
        await context.addInitScript("delete PublicKeyCredential.isConditionalMediationAvailable")
      }
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      const at = (path: string) => page.goto(`${start.url}${path}`)
      await at("/sign-up")
      await page.getByLabel("Name").fill("Grace")
      await page.getByLabel("Email address").fill(email)
      await page.getByLabel("Password").fill(password)
      await page.getByRole("button", { name: "Create an account" }).click()
      await page.getByRole("heading", { name: "Profile" }).waitFor()
      await at("/account/passkeys")
      await page.getByText("Verify the address of your account first.").waitFor()
      await verify(page)
      const devices = await context.newCDPSession(page)
      await devices.send("WebAuthn.enable")
      const device = await addDevice(devices)
      await at("/account/passkeys")
      return {
        page,
        at,
        devices,
        device,
        async enterPassword() {
          await at("/sign-in")
          await page.getByLabel("Email address").fill(email)
          await page.getByLabel("Password").fill(password)
          await page.getByRole("button", { name: "Sign in", exact: true }).click()
        },
        async signOut() {
          await at("/sign-out")
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByText("You are signed out.").waitFor()
        },
        [Symbol.asyncDispose]: () => context.close(),
      }
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
