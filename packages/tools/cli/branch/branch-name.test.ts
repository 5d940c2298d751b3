import { afterEach, expect, test, vi } from "vitest"

import { expectCheckedOut, shortName } from "./branch-name.ts"

test("a plain branch keeps its name, any other gets a distinguishing hash", () => {
  expect(shortName("fix-login")).toBe("fix-login")
  expect(shortName("Feature/Login")).toMatch(/^feature-login-[0-9a-f]{6}$/)
  expect(shortName("feature/login")).not.toBe(shortName("feature_login"))
  expect(shortName("ünïcode")).toMatch(/^n-code-[0-9a-f]{6}$/)
  expect(shortName("ÄÖÜ")).toMatch(/^[0-9a-f]{6}$/)
})

test("the Worker of a long branch still fits the name that workers.dev allows", () => {
  const long = shortName("dependabot/npm_and_yarn/some-very-long-package-name-1.2.3")
  expect(`accounts-preview-${long}`.length).toBeLessThanOrEqual(54)
  expect(long).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

test("a preview is of the branch that is checked out", () => {
  vi.stubEnv("GITHUB_HEAD_REF", "login")
  expect(() => expectCheckedOut("login")).not.toThrow()
  expect(() => expectCheckedOut("Team/Other")).toThrow(
    /^login is checked out here.+git worktree add \.\.\/team-other-[0-9a-f]{6} Team\/Other/,
  )
})
