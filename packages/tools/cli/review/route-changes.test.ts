import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { reviewText } from "./review-text.ts"
import { routeChanges } from "./route-changes.ts"

const packages = { changed: [], doubts: [], scripts: [] }
const withoutCode = { judge: undefined, code: [], packages }

const asked = { who: "admin, owner", origin: "trusted", limits: "LIMIT_MEMBER" }

function changesOf(after: Record<string, Record<string, string>>, before = { route: asked }) {
  const root = mkdtempSync(join(tmpdir(), "accounts-routes-"))
  mkdirSync(join(root, "docs"))
  writeFileSync(join(root, "docs/routes.json"), JSON.stringify(after))
  const changes = routeChanges(root, () => Buffer.from(JSON.stringify(before)))
  rmSync(root, { recursive: true })
  return changes
}

test("a review shows an operation that is opened to members, and a limit that is dropped", () => {
  const routes = changesOf({ route: { ...asked, who: "member, admin, owner", limits: "none" } })
  const bundle = { before: undefined, after: undefined }
  const rest = {
    ...withoutCode,
    environments: [],
    refused: [],
    accepted: [],
    stale: [],
    migrations: [],
  }
  const text = reviewText({ ...rest, routes, bundle, preview: undefined })
  expect(text).toContain(
    "### Routes, as `docs/routes.json` has them\n\n- `route` `who`: `admin, owner` → `member, admin, owner`\n- `route` `limits`: `LIMIT_MEMBER` → `none`\n",
  )
  expect(reviewText({ ...rest, routes: [], bundle, preview: undefined })).not.toContain("Routes")
})

test("a review shows a route that is new, and one that is gone", () => {
  expect(changesOf({ route: asked })).toEqual([])
  expect(changesOf({ route: asked, next: { who: "anybody" } })).toEqual([
    { route: "next", fact: "who", before: undefined, after: "anybody" },
  ])
  expect(changesOf({}).map(({ before, after }) => [before, after])).toEqual([
    ["admin, owner", undefined],
    ["trusted", undefined],
    ["LIMIT_MEMBER", undefined],
  ])
})
