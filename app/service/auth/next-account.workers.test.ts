import { expect, test } from "vitest"

import { copyBrowser, createBrowser } from "../../testing/browser.ts"
import { password } from "../../testing/person.ts"
import { collect, openKinds, shared, uses, webUrl } from "../../testing/signed-kinds.ts"

test("A51: what was signed or sealed for an account that is deleted is nothing to the next one of its address", async () => {
  const set = await openKinds()
  const collected = await collect(set)
  const { member, other, values } = collected
  const cookies = new Map(member.cookies)
  expect((await member.post("/api/auth/delete-user", { password })).status).toBe(200)

  // Somebody else, who has the address now.
  const next = createBrowser(set.bound, webUrl)
  const letters = set.mailbox.emails.length
  await next.post("/api/auth/sign-up/email", { name: "Next", ...other, password: "another one" })
  const letter = (await set.mailbox.arrived(letters + 1))[letters]
  await next.open(/https:\S+/.exec(letter?.text ?? "")?.[0] ?? "")
  const signIn = (browser = createBrowser(set.bound, webUrl), word = "another one") =>
    browser.post("/api/auth/sign-in/email", { ...other, password: word })
  expect((await signIn()).status).toBe(200)

  const former = copyBrowser({ cookies }, set.bound, webUrl)
  former.cookies.set(shared("session_token", set.bound), values.session_token)
  expect(await (await former.get("/api/auth/get-session")).json()).toBeNull()
  const reset = { token: values.reset, newPassword: "the former's password" }
  expect((await former.post("/api/auth/reset-password", reset)).status).toBe(400)
  const first = set.mailbox.emails.find(({ to }) => to === other.email)
  const link = /token=([\w.-]+)/.exec(first?.text ?? "")?.[1]
  const proof = { token: link, newPassword: "the former's password" }
  expect((await former.post("/api/auth/verify-email-with-password", proof)).status).toBe(401)
  // The mark counts with everybody's guesses.
  for (let guess = 0; guess < 10; guess += 1) await signIn(undefined, "a wrong guess")
  expect((await signIn(former)).status).toBe(429)
})

test("A52: no part of a mark can be changed, nor be moved to another name", async () => {
  const set = await openKinds()
  const collected = await collect(set)
  const { known_browser: mark } = collected.values
  expect(await uses.known_browser(set.bound, mark, collected)).toBe(true)
  const [end = "", owner = "", ...rest] = decodeURIComponent(mark).split(".")
  const later = String(Number(end) + 1)
  for (const parts of [
    [later, owner, ...rest],
    [`0${end}`, owner, ...rest],
    [`${end}e1`, owner, ...rest],
    [end, `${owner}A`, ...rest],
    [end, owner, "x", ...rest],
    [`${end}.${owner}`, ...rest],
    ["", end, owner, ...rest],
  ]) {
    const forged = encodeURIComponent(parts.join("."))
    const taken = await uses.known_browser(set.bound, forged, collected)
    expect([parts[0], taken]).toEqual([parts[0], forged === mark])
  }
})
