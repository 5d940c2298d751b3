import { expect, test } from "vitest"

import { createConsoleSessions, linkMilliseconds, sessionMilliseconds } from "./console-sessions.ts"

test("a link's code opens one session before it expires; a session expires or is revoked", () => {
  let time = 1000
  const sessions = createConsoleSessions(() => time)
  const { code, expiresAt } = sessions.createLinkCode()
  expect(expiresAt).toBe(time + linkMilliseconds)
  const key = sessions.redeem(code) ?? ""
  expect(key.length).toBeGreaterThanOrEqual(40)
  expect(sessions.redeem(code)).toBeUndefined()
  expect([sessions.isValid(key), sessions.isValid(code), sessions.isValid("")]).toEqual([
    true,
    false,
    false,
  ])

  const late = sessions.createLinkCode()
  time += linkMilliseconds
  expect(sessions.redeem(late.code)).toBeUndefined()
  time = 1000 + sessionMilliseconds - 1
  expect(sessions.isValid(key)).toBe(true)
  time += 1
  expect(sessions.isValid(key)).toBe(false)

  const left = sessions.redeem(sessions.createLinkCode().code) ?? ""
  sessions.revoke(left)
  expect(sessions.isValid(left)).toBe(false)
})
