import { expect, test } from "vitest"

import { previewTags, tagIn } from "./preview-tags.ts"

test("a preview's tags say whose it is, in words that Cloudflare takes", () => {
  const env = { GITHUB_REF: "refs/pull/12/merge", GITHUB_ACTOR: "ada" }
  const now = new Date("2026-03-10T12:00:00Z")
  const tags = previewTags("a,b&c/D", { env, now, expires: 14 })
  expect(tags).toEqual([
    "branch=a%2Cb%26c/D",
    "pull-request=12",
    "owner=ada",
    expect.stringMatching(/^commit=[0-9a-f]{40}(-dirty)?$/),
    "expires=2026-03-24",
  ])
  expect(tagIn(tags, "expires")).toBe("2026-03-24")
  expect(tagIn(previewTags("x", { env }), "expires")).toBeUndefined()
})
