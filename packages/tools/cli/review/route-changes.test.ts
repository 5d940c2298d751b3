import { expect, test } from "vitest"

import { reviewText } from "./review-text.ts"
import { routeChanges } from "./review.ts"

const packages = { changed: [], doubts: [], scripts: [] }
const withoutCode = { judge: undefined, code: [], packages }

const facts = { who: "admin, owner", origin: "trusted", limits: "LIMIT_MEMBER" }

function changesOf(after: object) {
  return routeChanges(JSON.stringify({ route: facts }), JSON.stringify(after))
}

test("a review shows an operation that is opened to members, and a limit that is dropped", () => {
  const routes = changesOf({ route: { ...facts, who: "member, admin, owner", limits: "none" } })
  const bundle = { before: undefined, after: undefined }
  const rest = {
    ...withoutCode,
    environments: [],
    refused: [],
    inherited: [],
    api: [],
    accepted: [],
    stale: [],
    migrations: [],
  }
  const text = reviewText({ ...rest, routes, bundle, preview: undefined })
  expect(text).toContain(
    "### Routes, as `docs/routes.json` has them\n\n```text\n~ route who  admin, owner → member, admin, owner\n~ route limits  LIMIT_MEMBER → none\n```",
  )
  expect(reviewText({ ...rest, routes: [], bundle, preview: undefined })).not.toContain("Routes")
})

test("a review shows a route that is new, and one that is gone", () => {
  expect(changesOf({ route: facts })).toEqual([])
  expect(changesOf({ route: facts, next: { who: "owner" } })).toEqual([
    { section: "routes", key: "next", before: undefined, after: "who owner" },
  ])
  expect(changesOf({})).toEqual([
    {
      section: "routes",
      key: "route",
      before: expect.stringMatching(/^who admin/),
      after: undefined,
    },
  ])
})
