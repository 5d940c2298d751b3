import { expect, test } from "vitest"

import { maskPath } from "./event-log.ts"

test("a token in a path is cut to four characters", () => {
  const masked = {
    "/api/auth/reset-password/Xf3kQ9vBn2LmR7sTw1YzAa8c": "/api/auth/reset-password/Xf3k…",
    "/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl": "/verify/eyJh…",
    "/invite/0k3j5h2g9f8d7s6a5q4w3e2r1t": "/invite/0k3j…",
    "/a/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/b": "/a/9f86…/b",
  }
  for (const [path, expected] of Object.entries(masked)) expect(maskPath(path)).toBe(expected)
})

test("words, ids and file names in a path are left alone", () => {
  for (const path of [
    "/",
    "/api/auth/sign-in/with-email-and-password",
    "/accounts/6163636f756e74736c6f63616c000001/workers",
    "/d1/database/0b8a2a52-5d1e-4b8a-9b0a-7f3f0b3c9d11/query",
    "/assets/index-BxK3l2.js",
    "/2026/11/21/a-very-long-title-of-a-post",
    "//double//",
  ]) {
    expect(maskPath(path)).toBe(path)
  }
})
