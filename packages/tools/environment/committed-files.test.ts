import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { checkEnvironments } from "./check.ts"
import { findStale } from "./effective/rendered.ts"
import { stackFileSchema } from "./stack-schema.ts"
import { environmentsDirectory } from "./subject.ts"

/** Fills in account, hosts and secrets, as the owner of a fork does; a file that has them stays as it is. */
function fillIn(text: string) {
  if (!/"0{32}"/.test(text)) return text
  return (
    text
      // Previews have an account of their own.
      .replace(/"0{32}"/, text.includes("{branch}") ? `"${"b".repeat(32)}"` : `"${"a".repeat(32)}"`)
      .replaceAll(/example\.(com|net|dev)/g, "acme-$1.io")
      .replace(/$/, "  accounts:secrets: { AUTH_SECRET: { secure: v1:eA:AAAA } }\n")
  )
}

test("the committed files lack what only their owner has, and filled in they lack nothing", () => {
  const committed = checkEnvironments(environmentsDirectory)
  expect(committed.flatMap(({ refused }) => refused)).toEqual([])
  const drafts = committed.filter(({ draft }) => draft)
  for (const { open } of drafts) {
    expect(open.filter(({ rule }) => !["R10", "R39"].includes(rule))).toEqual([])
  }

  const directory = mkdtempSync(join(tmpdir(), "accounts-filled-in-"))
  for (const entry of readdirSync(environmentsDirectory, { withFileTypes: true })) {
    // The folder of Pulumi ESC's environments.
    if (entry.isDirectory()) continue
    const { name } = entry
    const text = readFileSync(join(environmentsDirectory, name), "utf8")
    const changed = name.includes("local") || !name.endsWith(".yaml") ? text : fillIn(text)
    const ownText = changed.replace("v1:eA:AAAA", `v1:eA:${name}`)
    writeFileSync(join(directory, name), ownText)
  }
  const filledIn = checkEnvironments(directory)
  expect(filledIn.map(({ stack }) => stack)).toEqual(committed.map(({ stack }) => stack))
  for (const { draft, refused } of filledIn) {
    expect({ draft, refused }).toEqual({ draft: false, refused: [] })
  }
})

test("the committed JSON Schema matches the code (npm run fix writes it)", () => {
  const committed = readFileSync(join(environmentsDirectory, "stack.schema.json"), "utf8")
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(stackFileSchema())))
})

test("the committed effective files are those that render writes (npm run fix)", async () => {
  expect(await findStale(environmentsDirectory)).toEqual([])
})
