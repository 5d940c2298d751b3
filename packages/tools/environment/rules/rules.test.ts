import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../base/root.ts"
import { rulesPage } from "../../documents/pages.ts"
import { checkEnvironments } from "../check.ts"
import { listEnvironments, readSubject } from "../subject.ts"
import { all, type Change, createEnvironments, keys, set } from "../testing/environments-folder.ts"
import { idp, oneOrigin, type Wrong } from "../testing/wrong-file.ts"
import { wrongForms } from "../testing/wrong-forms.ts"
import { wrongHosts } from "../testing/wrong-hosts.ts"
import { wrongValues } from "../testing/wrong-values.ts"
import type { Rule } from "./rule.ts"
import { type Finding, judge, rules as allRules } from "./rules.ts"

/** The rules of the tools; those of the project are left out. */
const rules = allRules.filter(({ id }) => id.startsWith("R"))

/** The file that a row changes, beside its neighbours. */
function subjectOf(row: Wrong[string][string]) {
  const { change, neighbour, opened } = typeof row === "function" ? { change: row } : row
  using folder = createEnvironments()
  if (change) folder.edit(change)
  if (neighbour) folder.edit(neighbour, "Pulumi.staging.yaml")
  const files = listEnvironments(folder.directory, "environments")
  const file = files.find(({ stack }) => stack === "production")
  if (!file) throw new Error("The folder has no production")
  const subject = readSubject(file, files)
  if (!opened) return subject
  const environment = { ...subject.environment, secrets: opened }
  return { ...subject, environment, opened: true }
}

function findingsOf(subject: ReturnType<typeof subjectOf>, by = rules): Finding[] {
  const findings = judge(subject, { locate: subject.source.locate, rules: by })
  return findings.filter(({ accepted }) => accepted === undefined)
}

const rows = [wrongForms, wrongHosts, wrongValues].flatMap((rowsByRule) =>
  Object.entries(rowsByRule).flatMap(([rule, byTitle]) =>
    Object.entries(byTitle).map(([title, row]) => ({ rule, title, subject: subjectOf(row) })),
  ),
)

/** Start of a clause that reads on after "Fix:", or of a command. */
const beginning = /^[a-z]|^\.\//

test("what to do about any rule reads on from the word before it", () => {
  expect(allRules.filter(({ fix }) => !beginning.test(fix))).toEqual([])
})

test("on one host with a front end, paths alone are in order, and a whole host where its pages are the Worker's", () => {
  const wholeHost = all(oneOrigin, set("pages", true))
  for (const change of [oneOrigin, wholeHost, all(wholeHost, set("attach", undefined))]) {
    expect(findingsOf(subjectOf(change))).toEqual([])
  }
})

test("the files of the folder that the rows change are in order", () => {
  using folder = createEnvironments()
  const checked = checkEnvironments(folder.directory)
  expect(checked.map(({ stack, refused }) => ({ stack, refused }))).toEqual([
    { stack: "production", refused: [] },
    { stack: "staging", refused: [] },
    { stack: "preview", refused: [] },
  ])
})

test.each(rows)("$rule alone refuses $title, with its place and what to do", (row) => {
  const findings = findingsOf(row.subject, allRules)
  expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set([row.rule]))
  for (const { line, column, key, reason, fix, file } of findings) {
    expect(file).toMatch(/^environments\/Pulumi\./)
    expect(line).toBeGreaterThan(0)
    expect(column).toBeGreaterThan(0)
    expect([key, reason, fix].every((text) => text.length > 2)).toBe(true)
    expect(fix).toMatch(beginning)
  }
})

test.each([
  [
    "http://localhost:9000",
    [{ rule: "R32", reason: expect.stringContaining("the Worker refuses") }],
  ],
  [
    "http://10.0.0.7:9000",
    [{ rule: "R32", reason: expect.stringContaining("the Worker refuses") }],
  ],
  ["http://127.0.0.1:9000", []],
])("an issuer of a preview at %s is judged as the Worker judges it", (issuer, expected) => {
  using folder = createEnvironments()
  folder.edit(set(["identityProviders"], { idp: { ...idp, issuer } }), "preview.yaml")
  const files = listEnvironments(folder.directory, "environments")
  const file = files.find(({ stack }) => stack.startsWith("preview"))
  if (!file) throw new Error("The folder has no preview")
  const findings = findingsOf(readSubject(file, files))
  expect(findings).toEqual(
    expected.map((expectedFinding) => expect.objectContaining(expectedFinding)),
  )
})

/** Findings of the preview template, beside the files of staging and production. */
function findingsOfPreview(...changes: Change[]) {
  using folder = createEnvironments()
  for (const change of changes) folder.edit(change, "preview.yaml")
  const files = listEnvironments(folder.directory, "environments")
  const file = files.find(({ template }) => template)
  if (!file) throw new Error("The folder has no preview")
  return findingsOf(readSubject(file, files))
}

const branchApi = set("apiOrigin", "https://api.{branch}.preview.acme.dev")
const branchWeb = set("webOrigin", "https://web.{branch}.preview.acme.dev")

test.each([
  ["the parent of all previews", "preview.acme.dev"],
  ["the site", "acme.dev"],
])("R07 refuses a cookie of previews that one shares with the other: %s", (_, cookieDomain) => {
  expect(findingsOfPreview(branchApi, branchWeb, set("cookieDomain", cookieDomain))).toEqual([
    expect.objectContaining({
      rule: "R07",
      reason: `${cookieDomain} sends the sessions of one preview to every other`,
    }),
  ])
})

test("a preview may share a cookie among its own hosts, or have one for its host alone", () => {
  const cookieDomain = set("cookieDomain", "{branch}.preview.acme.dev")
  expect(findingsOfPreview(branchApi, branchWeb, cookieDomain)).toEqual([])
  expect(findingsOfPreview(branchApi, branchWeb)).toEqual([])
})

test.each([
  ["R24", set("apiOrigin", "https://api.preview.acme.dev")],
  ["R25", set("routes", ["preview.acme.dev/accounts/*"])],
  ["R26", set("name", "accounts-preview")],
])("%s refuses what every preview would have, as it does not name the branch", (rule, change) => {
  expect(findingsOfPreview(change)).toContainEqual(
    expect.objectContaining({ rule, reason: expect.stringContaining("it needs {branch}") }),
  )
})

test("R63 refuses a template of previews in the account of production, unless both accept it", () => {
  using folder = createEnvironments()
  folder.edit(set("accountId", "0123456789abcdef0123456789abcdef"), "preview.yaml")
  const refused = () =>
    checkEnvironments(folder.directory).flatMap((checkedEnvironment) =>
      checkedEnvironment.refused.map(
        ({ rule, reason }) => `${checkedEnvironment.stack} ${rule} ${reason.split("/").at(-1)}`,
      ),
    )
  expect(refused()).toEqual([
    "production R63 preview.yaml",
    "staging R63 preview.yaml",
    "preview R63 Pulumi.production.yaml",
    "preview R63 Pulumi.staging.yaml",
  ])
  for (const file of ["Pulumi.production.yaml", "Pulumi.staging.yaml", "preview.yaml"]) {
    folder.edit(set("accept", { R63: "one account is all that we have" }), file)
  }
  expect(refused()).toEqual([])
})

test("previews may have names and routes of their own, and one front end", () => {
  const change = keys({
    name: "acme-{branch}",
    apiOrigin: "https://{branch}.preview.acme.dev",
    webOrigin: "https://preview.acme.dev",
  })
  expect(findingsOfPreview(change)).toEqual([])
})

/** A rule that knows no others than these. */
function amongst(rule: Rule, otherRules: () => Rule[]): Rule {
  return { ...rule, check: (subject) => rule.check(subject, otherRules()) }
}

test("every rule has rows, and without it exactly its rows pass", () => {
  for (const { id } of rules) {
    const rest: Rule[] = rules
      .filter((rule) => rule.id !== id)
      .map((rule) => amongst(rule, () => rest))
    const passing = rows.filter((row) => {
      // Any finding is enough, so its own rule, which has one, is tried first.
      const ownRule = rest.filter((rule) => rule.id === row.rule)
      return [...ownRule, ...rest].every((rule) => findingsOf(row.subject, [rule]).length === 0)
    })
    const its = rows.filter(({ rule }) => rule === id)
    expect({ id, rows: its.length > 0 }).toEqual({ id, rows: true })
    expect({ id, titles: passing.map(({ title }) => title) }).toEqual({
      id,
      titles: its.map(({ title }) => title),
    })
  }
})

test("the committed page of rules matches the code (npm run fix writes it)", () => {
  expect(readFileSync(join(root, "docs", "environment-rules.md"), "utf8")).toBe(rulesPage())
})

test("ids are unique, and every rule says what holds and what to do", () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
  for (const { id, message, fix } of rules) {
    expect(id).toMatch(/^R\d\d$/)
    expect(message.length).toBeGreaterThan(15)
    expect(fix.length).toBeGreaterThan(5)
  }
})
