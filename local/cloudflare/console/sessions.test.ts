import { expect, test } from "vitest"

import { createSessions, invitationTime, sessionTime } from "./sessions.ts"

test("a code opens one session, once and in time; a session ends by itself or when it is left", () => {
  let time = 1000
  const sessions = createSessions(() => time)
  const { code, expiresAt } = sessions.invite()
  expect(expiresAt).toBe(time + invitationTime)
  const key = sessions.enter(code) ?? ""
  expect(key.length).toBeGreaterThanOrEqual(40)
  expect(sessions.enter(code)).toBeUndefined()
  expect([sessions.holds(key), sessions.holds(code), sessions.holds("")]).toEqual([
    true,
    false,
    false,
  ])

  const late = sessions.invite()
  time += invitationTime
  expect(sessions.enter(late.code)).toBeUndefined()
  time = 1000 + sessionTime - 1
  expect(sessions.holds(key)).toBe(true)
  time += 1
  expect(sessions.holds(key)).toBe(false)

  const left = sessions.enter(sessions.invite().code) ?? ""
  sessions.leave(left)
  expect(sessions.holds(left)).toBe(false)
})
