import { join } from "node:path"

import axe from "axe-core"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createApp } from "../../../app/testing/authenticator-app.ts"
import { browserMissing } from "./testing/browser/browser.ts"
import {
  addDevice,
  type MemberSite,
  openMemberSite,
  password,
} from "./testing/browser/member-site.ts"

const owner = "owner@example.com"

/** Folder for screenshots of the pages. */
const shots = process.env["SCREENSHOTS"]

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let site: MemberSite

  beforeAll(async () => {
    site = await openMemberSite()
  })

  afterAll(() => site?.[Symbol.asyncDispose]())

  /** On a telephone and on a desk, in light and dark. */
  async function judge(page: Page, name: string) {
    await page.evaluate(axe.source)
    for (const [colorScheme, width] of [
      ["light", 360],
      ["dark", 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const violations = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
      )
      const isWide = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
      expect({ name, width, found: violations, isWide }).toEqual({
        name,
        width,
        found: [],
        isWide: false,
      })
      const file = `factor-${name}-${width}.png`
      if (shots !== undefined) await page.screenshot({ path: join(shots, file), fullPage: true })
    }
  }

  async function add(page: Page, name: string) {
    await page.getByLabel("Name of the passkey").last().fill(name)
    await page.getByRole("button", { name: "Add a passkey" }).press("Enter")
  }

  const usePasskey = (page: Page) =>
    page.getByRole("button", { name: "Use a passkey" }).press("Enter")

  test("a passkey is added, named, signs in and steps up, and opens nothing once it is removed", async () => {
    await using member = await site.openMember("passkey@example.com")
    const { page, at } = member
    await add(page, "Telephone")
    await page.getByText("Saved.").waitFor()
    await add(page, "Again")
    await page.getByText("This device has a passkey of yours already.").waitFor()
    await judge(page, "exists")

    await page.getByText("Rename", { exact: true }).click()
    await page.getByLabel("Name of the passkey").first().fill("Old telephone")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Old telephone").waitFor()
    await judge(page, "list")

    await member.signOut()
    await usePasskey(page)
    await page.getByRole("heading", { name: "Profile" }).waitFor()

    const back = encodeURIComponent(`${site.url}/account/passkeys`)
    await at(`/account/step-up?ways=passkey&return=${back}`)
    await page.getByRole("button", { name: "Use a passkey" }).waitFor()
    await judge(page, "step-up")
    await usePasskey(page)
    await page.getByText("You can do it now.").waitFor()
    await page.getByText("Last used").waitFor()

    const { devices, device: authenticatorId } = member
    const offered = async () =>
      (await devices.send("WebAuthn.getCredentials", { authenticatorId })).credentials
    const [credential] = await offered()
    if (credential === undefined) throw new Error("the device has no passkey")
    await page.getByRole("button", { name: "Remove…" }).click()
    await page.getByText("It no longer signs you in.").waitFor()
    await judge(page, "remove")
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByText("Removed here.").waitFor()
    // The page has told the device, which no longer offers it.
    await expect.poll(offered).toEqual([])
    await member.signOut()
    await devices.send("WebAuthn.addCredential", { authenticatorId, credential })
    expect(await offered()).toHaveLength(1)
    await usePasskey(page)
    await page.getByText("This passkey does not work here").waitFor()
    await expect.poll(offered).toEqual([])
    expect(new URL(page.url()).pathname).toBe("/sign-in")
  })

  test("a passkey is offered beside the address, with a new challenge before the old one ends, until the button asks for one", async () => {
    await using member = await site.openMember("offered@example.com", { offersPasskeys: true })
    const { page, at, devices, device: authenticatorId } = member
    const setPresence = (enabled: boolean) =>
      devices.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })
    await page.addInitScript(`{
      const { credentials } = navigator
      const get = credentials.get.bind(credentials)
      globalThis.requests = []
      credentials.get = (options) => {
        const request = { mediation: options.mediation ?? "modal", outcome: "pending" }
        requests.push(request)
        const answer = get(options)
        answer.catch(({ name }) => (request.outcome = name))
        return answer
      }
    }`)
    const requests = () =>
      page.evaluate<string>(
        "requests.map(({ mediation, outcome }) => mediation + ' ' + outcome).join(', ')",
      )
    await add(page, "Telephone")
    await page.getByText("Saved.").waitFor()
    await setPresence(false)
    await member.signOut()
    expect(await page.getByLabel("Email address").getAttribute("autocomplete")).toBe(
      "username webauthn",
    )
    const [offered, aborted] = ["conditional pending", "conditional AbortError"]
    await expect.poll(requests, { timeout: 30_000 }).toBe(offered)
    await page.evaluate("{ const now = Date.now; Date.now = () => now() + 250_000 }")
    await expect.poll(requests, { timeout: 30_000 }).toBe(`${aborted}, ${offered}`)
    await usePasskey(page)
    await expect.poll(requests, { timeout: 30_000 }).toBe(`${aborted}, ${aborted}, modal pending`)
    expect(await page.getByRole("alert").count()).toBe(0)

    // Nothing is pressed: the device answers what is offered.
    await setPresence(true)
    await at("/sign-in")
    await page.getByRole("heading", { name: "Profile" }).waitFor()
  })

  test("who closes the prompt, or has lost the device, is told, and gets in by password", async () => {
    await using member = await site.openMember("lost@example.com")
    const { page, devices, device } = member
    await add(page, "Telephone")
    await page.getByText("Saved.").waitFor()
    await member.signOut()
    const isUserVerified = { authenticatorId: device, isUserVerified: false }
    await devices.send("WebAuthn.setUserVerified", isUserVerified)
    await usePasskey(page)
    const message = page.getByText("No passkey was used: the prompt was closed")
    await message.waitFor()
    await judge(page, "cancelled")
    await devices.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: device })
    await addDevice(devices)
    await page.reload()
    await usePasskey(page)
    await message.waitFor()
    await page.getByLabel("Email address").fill("lost@example.com")
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("heading", { name: "Profile" }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/account")
  })

  test("an app is set up by its picture, signs in, and is lost and found again by a recovery code", async () => {
    await using member = await site.openMember("app@example.com")
    const { page, at } = member
    await at("/account/second-factor")
    await page.getByRole("link", { name: "Set up an app" }).click()
    await page.getByRole("img", { name: "QR code with the key for the app" }).waitFor()
    await judge(page, "app")
    const app = createApp(await page.locator("[name=uri]").inputValue())
    await page.getByLabel("Code from the app").fill(app.code())
    await page.getByRole("button", { name: "Turn on" }).press("Enter")
    const codes = (await page.locator("pre").textContent())?.split("\n") ?? []
    expect(codes).toHaveLength(10)
    await judge(page, "codes")

    const enter = async (label: string, code: string) => {
      await page.getByLabel("Email address").fill("app@example.com")
      await page.getByLabel("Password").fill(password)
      await page.getByRole("button", { name: "Sign in", exact: true }).click()
      await page.getByRole("heading", { name: "Enter your one-time code" }).waitFor()
      if (label === "Recovery code") await page.getByText("No access to your app?").click()
      await page.getByLabel(label).fill(code)
      await page.getByLabel(label).press("Enter")
      await page.getByRole("heading", { name: "Profile" }).waitFor()
    }
    await member.signOut()
    // The code of the next half minute: that of now has been taken.
    await enter("Code from the app", app.code(1))
    await member.signOut()
    await enter("Recovery code", codes[0] ?? "")
    await at("/account/second-factor")
    await page.getByText("Recovery codes left: 9.").waitFor()
    await judge(page, "on")
    await page.getByRole("button", { name: "Turn off…" }).click()
    await page.getByRole("heading", { name: "Turn off?" }).waitFor()
    await page.getByRole("button", { name: "Turn off" }).click()
    await page.getByText("a sign-in also asks for a code").waitFor()
  })

  /** Acts as the owner on a member's page. */
  async function act(page: Page, email: string, name: string, reason?: string) {
    await page.goto(`${site.url}/admin`)
    // A typed address could be a link in an email, so the page asks for a click first.
    await page.locator("main a.button").click()
    await page.locator(".rows li", { hasText: email }).getByRole("link").click()
    if (reason !== undefined) await page.getByLabel("Reason").first().selectOption(reason)
    await page.getByRole("button", { name: `${name}…`, exact: true }).click()
    await page.getByRole("heading", { name: `${name}?` }).waitFor()
    await page.getByRole("button", { name, exact: true }).click()
    await page.getByRole("status").waitFor()
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
    await page.getByRole("heading", { name: "Enter your one-time code" }).waitFor()
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
    await page.getByRole("link", { name: "emails" }).click()
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
