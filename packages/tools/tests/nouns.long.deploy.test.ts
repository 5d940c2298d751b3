import { expect, test } from "vitest"

import { commit, git } from "./testing/commit.ts"
import { copyWorkingTree, readRecipe } from "./testing/recipe.ts"

test("without any of the features the migration that drops their tables is rehearsed, and the service deployed", async () => {
  await using copy = copyWorkingTree()
  const { directory } = copy
  const [code = "", tables = ""] = readRecipe("docs/changing.md", "Remove a feature").split(
    /^(?=npm run migration)/m,
  )
  await copy.follow(code)
  await copy.follow("npm run openapi")
  commit(directory, "Remove what is not ours")
  git(directory, "switch", "--quiet", "--create", "tables")
  await copy.follow(tables.replace(/^npm run openapi.*$/m, ""))
  await copy.succeed("environment", "render")
  commit(directory, "Drop the tables")
  await copy.succeed("environment", "check")
  await copy.succeed("database", "rehearse", "--from", "main")
  const flags = ["--once", "--state", copy.state, "--port", "0", "--api-port", "0"]
  const { stdout, stderr } = await copy.succeed("start", ...flags)
  expect(stdout + stderr).toContain("ready")
})
