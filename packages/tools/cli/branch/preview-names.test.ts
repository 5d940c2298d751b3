import { afterEach, expect, test, vi } from "vitest"

import { expectCheckedOut, shortName } from "./branch-name.ts"
import { planDown } from "./down.ts"
import { previewTags, repositoryOf, tagIn } from "./preview-stack.ts"

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

/** Plans a deletion if only `login` has a preview. */
function planOf(name: string | undefined) {
  return planDown(name, {
    stacks: async () => [{ name: "preview-login" }],
    resources: async () => new Map([["preview-orders", {}]]),
    doubt: async () => undefined,
  })
}

test.each([
  ["preview-login", "by its stack"],
  ["preview-orders", "by the account"],
])("the end of a branch %s leaves the preview of another, known %s", async (branch) => {
  vi.stubEnv("GITHUB_HEAD_REF", branch)
  expect(await planOf(undefined)).toEqual({ stack: `preview-${branch}`, stored: false })
})

test("the end of a branch is that of its preview", async () => {
  vi.stubEnv("GITHUB_HEAD_REF", "login")
  expect(await planOf(undefined)).toEqual({ stack: "preview-login", stored: true })
})

test.each(["login", "preview-login"])("%s names what `branch list` prints", async (name) => {
  expect(await planOf(name)).toEqual({ stack: "preview-login", stored: true })
})

test("a preview's tags name its owner, in characters that Cloudflare accepts", () => {
  const env = {
    GITHUB_REF: "refs/pull/12/merge",
    GITHUB_ACTOR: "ada",
    GITHUB_REPOSITORY: "Acme/accounts",
  }
  const now = new Date("2026-03-10T12:00:00Z")
  const tags = previewTags("a,b&c/D", { env, now, expires: 14 })
  expect(tags).toEqual([
    "repository=acme/accounts",
    "branch=a%2Cb%26c/D",
    "pull-request=12",
    "owner=ada",
    expect.stringMatching(/^commit=[0-9a-f]{40}(-dirty)?$/),
    "expires=2026-03-24",
  ])
  expect([tagIn(tags, "branch"), tagIn(tags, "expires")]).toEqual(["a,b&c/D", "2026-03-24"])
  expect(tagIn(previewTags("x", { env }), "expires")).toBeUndefined()
  expect(tagIn(["commit=a\n::warning::b\u202E"], "commit")).toBe("a?::warning::b?")
})

test.each([
  "https://github.com/Acme/accounts.git",
  "https://ada:canary@github.com/acme/accounts",
  "git@github.com:acme/accounts.git",
  "ssh://git@github.com:22/acme/accounts.git/",
])("a repository is the same however it is reached: %s", (remote) => {
  expect(repositoryOf({}, remote)).toBe("acme/accounts")
})
