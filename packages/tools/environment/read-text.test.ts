import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { Failure } from "../base/failure.ts"
import { checkEnvironments } from "./check.ts"
import { renderEnvironments } from "./effective/rendered.ts"
import { createEnvironments } from "./testing/environments-folder.ts"

// A checkout makes a folder of another repository, too.
test.each<[string, string, (path: string) => void]>([
  ["a folder", "is a folder", (path) => mkdirSync(path)],
  ["a link to a folder", "is a folder", (path) => symlinkSync(".", path)],
  ["a link to nothing", "does not exist", (path) => symlinkSync("nowhere", path)],
  ["a link to itself", "does not exist", (path) => symlinkSync(path, path)],
])("%s in the place of a stack file is refused, as it %s", async (_what, reason, put) => {
  using folder = createEnvironments()
  const path = join(folder.directory, "Pulumi.staging.yaml")
  rmSync(path)
  put(path)
  const checked = checkEnvironments(folder.directory, { label: "environments" })
  const { refused } = checked.find(({ stack }) => stack === "staging") ?? {}
  expect(refused?.[0]).toMatchObject({ rule: "R01", reason })
  const rendered = await renderEnvironments(folder.directory)
  expect(rendered.find(({ stack }) => stack === "staging")?.text).toBe(undefined)
})

test("a folder in the place of an effective file is named", async () => {
  using folder = createEnvironments()
  const path = join(folder.directory, "production.effective.yaml")
  mkdirSync(path)
  const rendered = renderEnvironments(folder.directory)
  await expect(rendered).rejects.toThrow(Failure)
  await expect(rendered).rejects.toThrow(`${path} is a folder.`)
})
