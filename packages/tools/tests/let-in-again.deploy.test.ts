import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createApp } from "../../../app/testing/authenticator-app.ts"
import { browserMissing } from "./testing/browser/browser.ts"
import { type MemberSite, openMemberSite } from "./testing/browser/member-site.ts"

const owner = "owner@example.com"
const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let site: MemberSite

  beforeAll(async () => {
    site = await openMemberSite()
  })

  afterAll(() => site?.[Symbol.asyncDispose]())

  /** What the owner does to a member, on their page. */
  async function act(page: Page, email: string, name: string, reason?: string) {
    await page.goto(`${site.url}/admin`)
    // An address that is typed could be a link in a letter.
    await page.locator("main a.button").click()
    await page.getByRole("link", { name: email }).click()
    if (reason !== undefined) await page.getByLabel("Reason").first().selectOption(reason)
    await page.getByRole("button", { name, exact: true }).click()
    await page.getByText("Changed.").waitFor()
  }

  test("who has lost app, passkey and codes gets in once an owner takes the factor off, and a suspended member sees why, until they are let in again", async () => {
    await using owners = await site.openMember(owner)
    const flags = ["-s", "local", "--state", site.checkout.state]
    await site.checkout.succeed("owner", "grant", owner, ...flags)
    await using member = await site.openMember("ada@example.com")
    const { page, at } = member
    const isIn = () => page.getByRole("heading", { name: "Profile" }).waitFor()

    await page.getByLabel("Name of the passkey").last().fill("Telephone")
    await page.getByRole("button", { name: "Add a passkey" }).click()
    await page.getByText("Saved.").waitFor()
    await at("/account/second-factor")
    await page.getByRole("link", { name: "Set up an app" }).click()
    const app = createApp(await page.locator("[name=uri]").inputValue())
    await page.getByLabel("Code from the app").fill(app.code())
    await page.getByRole("button", { name: "Turn on" }).click()
    await page.locator("pre").waitFor()

    // The telephone is gone, with its passkey, the app, and a picture of the codes.
    await member.signOut()
    const authenticatorId = member.device
    await member.devices.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId })
    await member.enterPassword()
    await page.getByRole("heading", { name: "One more code" }).waitFor()
    await at("/account")
    expect(new URL(page.url()).pathname).toBe("/sign-in")

    await act(owners.page, "ada@example.com", "Take the second factor off")
    await member.enterPassword()
    await isIn()

    await act(owners.page, "ada@example.com", "Suspend", "Security")
    await at("/account")
    expect(new URL(page.url()).pathname).toBe("/sign-in")
    await member.enterPassword()
    await page.getByText("This account is suspended to protect it.").waitFor()
    await at("/account")
    expect(new URL(page.url()).pathname).toBe("/sign-in")

    await act(owners.page, "ada@example.com", "Let in again")
    await member.enterPassword()
    await isIn()
    await page.getByRole("link", { name: "e-mails" }).click()
    for (const subject of [
      "The second factor of your account was taken off",
      "Your account has been suspended",
      "Your account is open again",
    ]) {
      await expect
        .poll(async () => (await page.reload(), page.getByText(subject).count()), {
          timeout: 60_000,
        })
        .toBeGreaterThan(0)
    }
  })
})
