import { expect, test } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createMailbox } from "../../../testing/mailbox.ts"
import { failed, google, single, visit } from "../../../testing/preset-visit.ts"
import { tenant } from "../../../testing/provider-shapes.ts"

const mailbox = createMailbox()
const remotes = { ...google.remotes, ...single.remotes, "mail.example": mailbox.remote }

/** How the owner of an address proves it. */
const ways: Record<string, (email: string) => Promise<unknown>> = {
  "a reset": async (email) => {
    const browser = createBrowser(bind({ MAIL_URL: "https://mail.example/send" }))
    await browser.post("/api/auth/request-password-reset", { email })
    const link = new URL(await mailbox.linkOf(email, "Reset your password"))
    const newPassword = "the password of the owner"
    await browser.post("/api/auth/reset-password", {
      token: link.searchParams.get("token"),
      newPassword,
    })
    const entered = await browser.post("/api/auth/sign-in/email", { email, password: newPassword })
    return (await entered.json<{ user: { name: string } }>()).user
  },
  "a provider that is the authority": async (email) => {
    const declared = { preset: "microsoft", tenant, emailDomains: ["corp.example"] }
    using owner = visit({ ...single, remotes }, declared)
    return (await owner.signIn({ sub: email, email, name: "desk" })).user
  },
}

test.each(Object.entries(ways))(
  "A57: an account that Google opened for who may have lost the address is the owner's alone after %s",
  async (_way, prove) => {
    const email = `desk-${crypto.randomUUID()}@corp.example`
    const claims = { sub: `mallory ${email}`, email, name: "Mallory", hd: undefined }
    const mallory = visit({ ...google, remotes }, google.declared)
    expect(await mallory.signIn(claims)).toMatchObject({ location: webUrl, user: { email } })
    const cookies = new Map(mallory.browser.cookies)
    expect(await prove(email)).toMatchObject({ email, name: expect.stringMatching(/^desk/) })
    for (const [name, value] of cookies) mallory.browser.cookies.set(name, value)
    const session = await mallory.browser.get("/api/auth/get-session")
    expect(await session.json()).toBeNull()
    using again = visit({ ...google, remotes }, google.declared)
    expect(await again.signIn(claims)).toEqual(failed("account_not_linked"))
  },
)
