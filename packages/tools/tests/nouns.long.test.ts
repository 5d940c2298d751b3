import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { copyWorkingTree, readRecipe } from "./testing/recipe.ts"

/** Tests that look at every table, route or example there is. */
const wide = ["account/user", "openapi/openapi", "openapi/examples", "session/reader"]

const changing = readFileSync(join(import.meta.dirname, "../../../docs/changing.md"), "utf8")

test(
  "a feature is added by the commands of docs/changing.md, and the quick check says what one lacks",
  { timeout: 1_800_000 },
  async () => {
    await using copy = copyWorkingTree()
    await copy.follow(readRecipe("docs/changing.md", "A feature"))
    const [migration = ""] = globSync("migrations/*_pledge.sql", { cwd: copy.directory })
    expect(readFileSync(join(copy.directory, migration), "utf8")).toMatch(/CREATE TABLE `pledge`/)
    const [, quick = ""] = /`(npx tsc [^`]+)`/.exec(changing) ?? []
    await copy.follow(quick)
    const tests = `npx vitest run --root app ${[...wide, "consent", "pledge"].join(" ")}`
    expect(await copy.follow(tests)).toMatch(/Test Files +(\d+) passed \(\1\)/)
    copy.edit("app/pledge/pledge.rpc.ts", (text) => text.replaceAll("TOO_MANY_CONSENTS", "UNSAID"))
    await copy.follow("npm run openapi")
    await expect(copy.follow(quick)).rejects.toMatchObject({
      stdout: expect.stringMatching(/app\/pages\/words\/\w+\/outcome\.ts[^]*UNSAID/),
    })
  },
)
