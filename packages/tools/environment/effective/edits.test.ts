import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

import { expect, test, vi } from "vitest"

import { checkEnvironments } from "../check.ts"
import { project } from "../project/own-project.ts"
import { readStackFile } from "../read.ts"
import { listEnvironments } from "../subject.ts"
import { refusedEdits, shownEdits } from "../testing/edits.ts"
import { all, createEnvironments, set } from "../testing/environments-folder.ts"
import { trust } from "../testing/wrong-file.ts"
import { changesBetween, describeChanges } from "./facts.ts"
import { expectCommitted, renderEnvironments, findStale } from "./rendered.ts"

/** All files before any edit. */
const unedited = await renderUnedited()

async function renderUnedited() {
  using folder = createEnvironments()
  return await renderEnvironments(folder.directory)
}

/** Renders the folder, and returns the text of production's file. */
async function render(directory: string): Promise<string> {
  const rendered = await renderEnvironments(directory)
  for (const { path, text } of rendered) writeFileSync(path, text ?? "")
  return rendered.find(({ stack }) => stack === "production")?.text ?? ""
}

function productionOf(directory: string) {
  return checkEnvironments(directory).find(({ stack }) => stack === "production")
}

const refused = Object.entries(refusedEdits).flatMap(([rules, edits]) =>
  Object.entries(edits).map(([title, change]) => ({ title, change, rules: rules.split(" ") })),
)

test.each(refused)("a reviewer's edit is refused: $title", ({ change, rules }) => {
  using folder = createEnvironments()
  folder.edit(change)
  const findings = productionOf(folder.directory)?.refused ?? []
  expect([...new Set(findings.map(({ rule }) => rule))].toSorted()).toEqual(rules)
})

test.each(Object.entries(shownEdits))("a reviewer's edit is shown: %s", async (_, edit) => {
  const [change, ...shows] = edit
  using folder = createEnvironments()
  for (const { path, text } of unedited) {
    writeFileSync(join(folder.directory, basename(path)), text ?? "")
  }
  const before = unedited.find(({ stack }) => stack === "production")?.text
  folder.edit(change)
  expect(productionOf(folder.directory)?.refused).toEqual([])
  const [stale] = await findStale(folder.directory)
  for (const line of shows) expect(stale?.diff).toContain(line)
  const after = await render(folder.directory)
  expect(describeChanges(changesBetween(before, after))).toBe(stale?.diff)
  expect(await findStale(folder.directory)).toEqual([])
})

const unknown = { keys: [], valueOf: () => undefined }

test("what a browser is allowed is what the Worker is given, however the program makes it", async () => {
  using folder = createEnvironments()
  const of = "https://app.acme.com,https://evil.example"
  const { AUTH_TRUSTED_ORIGIN: origins = unknown, AUTH_COOKIE_DOMAIN: domain = unknown } =
    project.plain
  using _ = vi.spyOn(origins, "valueOf").mockReturnValue(of)
  using _host = vi.spyOn(domain, "valueOf").mockReturnValue("acme.dev")
  const text = await render(folder.directory)
  expect(text).toContain("origin https://evil.example: may call with cookies")
  expect(text).toContain("accounts-production.session_token: Domain=acme.dev;")
})

test("one acceptance by name lets no other value through", () => {
  using folder = createEnvironments()
  const accepted = set(["accept"], { R23: "https://partner.org is our partner's shop" })
  folder.edit(all(trust("https://partner.org.evil.com"), accepted))
  expect(productionOf(folder.directory)?.refused.map(({ rule }) => rule)).toContain("R23")
})

test("an effective file has one fact a line, sorted in its section, and no secret", async () => {
  using folder = createEnvironments()
  folder.edit(set(["secrets", "AUTH_SECRET", "secure"], "v1:canary-nonce:canary-ciphertext"))
  const text = await render(folder.directory)
  expect(text).not.toContain("canary")
  for (const section of text.split("\n\n").slice(1)) {
    const facts = section.split("\n").filter((line) => line.startsWith("  "))
    expect(facts.length).toBeGreaterThan(0)
    const keys = facts.map((line) => line.trim().replace(/^"/, ""))
    expect(keys).toEqual(keys.toSorted())
  }
})

test("only what reviewers have seen is deployed", async () => {
  using folder = createEnvironments()
  const files = listEnvironments(folder.directory, "environments")
  const path = join(folder.directory, "Pulumi.production.yaml")
  const deploy = () => {
    const stack = readStackFile({ path, name: "production", neighbours: files })
    expectCommitted(stack, { files, migrations: [{ name: "0000_a.sql", sha256: "a" }] })
  }
  expect(deploy).toThrow(/\+ reach: api: https:\/\/api.acme.com[\s\S]*environment render/)
  const rendered = await renderEnvironments(folder.directory)
  expect(rendered).toHaveLength(3)
  await render(folder.directory)
  // Other migrations than those of the committed file.
  expect(deploy).toThrow(/\+ migrations: 0000_a.sql: a\n/)
  const effective = join(folder.directory, "production.effective.yaml")
  const text = readFileSync(effective, "utf8")
  writeFileSync(effective, text.replace(/(?<=migrations:\n)[^]*?(?=\n#|\n\n|$)/, "  0000_a.sql: a"))
  expect(deploy).not.toThrow()
  folder.edit(set("crons", ["5 * * * *"]))
  expect(deploy).toThrow(/- runtime: crons: 17 \* \* \* \*\n\+ runtime: crons: 5 \* \* \* \*/)
})
