import { expect, test } from "vitest"

import { previewTags, repositoryOf, tagIn } from "./preview-stack.ts"

test("a preview's tags say whose it is, in words that Cloudflare takes", () => {
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
