import { expect, test } from "vitest"

import { createConsoleSessions, linkLifetime, sessionLifetime } from "./console-sessions.ts"

test("a code opens one session, once and in time; a session ends by itself or when it is left", () => {
  let time = 1000
  const sessions = createConsoleSessions(() => time)
  const { code, expiresAt } = sessions.createLinkCode()
  expect(expiresAt).toBe(time + linkLifetime)
  const key = sessions.redeem(code) ?? ""
  expect(key.length).toBeGreaterThanOrEqual(40)
  expect(sessions.redeem(code)).toBeUndefined()
  expect([sessions.isValid(key), sessions.isValid(code), sessions.isValid("")]).toEqual([
    true,
    false,
    false,
  ])

  const late = sessions.createLinkCode()
  time += linkLifetime
  expect(sessions.redeem(late.code)).toBeUndefined()
  time = 1000 + sessionLifetime - 1
  expect(sessions.isValid(key)).toBe(true)
  time += 1
  expect(sessions.isValid(key)).toBe(false)

  const left = sessions.redeem(sessions.createLinkCode().code) ?? ""
  sessions.revoke(left)
  expect(sessions.isValid(left)).toBe(false)
})
