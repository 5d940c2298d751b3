import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../../base/root.ts"
import { operationsBehind } from "./branch-files.ts"

const Routes = z.record(z.string(), z.unknown())

test("each procedure is found behind a module that all of them import", () => {
  const routes = Routes.parse(JSON.parse(readFileSync(join(root, "docs/routes.json"), "utf8")))
  const operations = Object.keys(routes).flatMap(
    (route) => /\/api\/v1\/(\w+)$/.exec(route)?.[1] ?? [],
  )
  expect(operations.length).toBeGreaterThan(40)
  const behind = operationsBehind(root, operations)("app/service/platform/http/failure.ts")
  expect(operations.filter((name) => !behind.includes(name))).toEqual(["processWebhook"])
})
