import {
  verifyPassword as verifyByLibrary,
  hashPassword as hashByLibrary,
} from "better-auth/crypto"
import { beforeAll, expect, test, vi } from "vitest"

import { hashAtFullCost } from "../../../testing/light-scrypt.ts"
import { hashPassword, verifyPassword } from "../../sign-in/password/password.ts"

beforeAll(hashAtFullCost)

test("password storage is <salt_hex>:<derived_key_hex> with 16 and 64 bytes, with a new salt each time", async () => {
  const [first, second] = await Promise.all([hashPassword("secret"), hashPassword("secret")])
  expect(first).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
  expect(first).not.toBe(second)
})

test("password storage verifies its own hashes and the library's, and the library verifies ours", async () => {
  const password = "pässwörd ﬁ"
  const hash = await hashPassword(password)
  expect(await verifyPassword({ hash, password })).toBe(true)
  expect(await verifyPassword({ hash, password: "other" })).toBe(false)
  expect(await verifyPassword({ hash: await hashByLibrary(password), password })).toBe(true)
  expect(await verifyByLibrary({ hash, password })).toBe(true)
})

test("password storage treats a malformed hash as a wrong password", async () => {
  const malformed = ["", "abc", ":", "zz:zz", `${"a".repeat(32)}:${"b".repeat(127)}`]
  const answers = malformed.map((hash) => verifyPassword({ hash, password: "x" }))
  expect(await Promise.all(answers)).toEqual(malformed.map(() => false))
})

test("password storage compares in constant time", async () => {
  using compare = vi.spyOn(crypto.subtle, "timingSafeEqual")
  const hash = await hashPassword("secret")
  await verifyPassword({ hash, password: "secret" })
  expect(compare).toHaveBeenCalledOnce()
  const [expected, derived] = compare.mock.calls[0] ?? []
  expect(expected).toHaveProperty("byteLength", 64)
  expect(derived).toHaveProperty("byteLength", 64)
})
