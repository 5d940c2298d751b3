import { afterAll, expect, test } from "vitest"

import { startLocalD1 } from "../testing/local-d1.ts"
import { isRefused, judgeScript, readScript, type Verdict } from "./lint.ts"
import { rules } from "./rules.ts"
import { readCorpus, type Shape } from "./testing/corpus.ts"
import { triedShape } from "./testing/tried-shapes.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

const corpus = readCorpus()

/** Each file is tried once, and judged by each set of rules. */
const outcomes = new Map(
  corpus.map(({ name, before, change }) => [name, readScript({ sql: change, earlier: [before] })]),
)

function judge({ name }: Shape, by = rules): Verdict {
  const script = outcomes.get(name)
  if (!script) throw new Error(`${name} is not in the corpus`)
  return judgeScript(script, by)
}

function said(shape: Shape, by = rules): string[] {
  const { findings } = judge(shape, by)
  return [...new Set(findings.map(({ level, rule }) => `${level} ${rule}`))].toSorted()
}

test.each(corpus)("$name: $title", (shape) => {
  expect(said(shape)).toEqual(shape.lint)
})

/** Of tables that are not known, as all are here. */
const ofUnknown = "not-judged"

test.each(rules.filter(({ name }) => name !== ofUnknown))(
  "without the rule $name exactly its rows of the corpus fail",
  ({ name }) => {
    const otherRules = rules.filter((rule) => rule.name !== name)
    const failing = corpus.filter((shape) => said(shape, otherRules).join() !== shape.lint.join())
    const ofRule = corpus.filter(({ lint }) => lint.some((finding) => finding.endsWith(` ${name}`)))
    expect(failing.map((shape) => shape.name)).toEqual(ofRule.map((shape) => shape.name))
    expect(ofRule.length).toBeGreaterThan(0)
  },
)

test("nothing that loses rows or fails on D1 passes", () => {
  for (const shape of corpus) {
    if (shape.onD1 === "keeps") continue
    expect([shape.name, isRefused(judge(shape))]).toEqual([shape.name, true])
  }
})

/** Kept where other rows than one in each table would be lost. */
const byLuck = [
  "condition-that-no-row-meets",
  "copy-that-filters-nothing",
  "ignoring-copy",
  "ignoring-copy-that-takes-all",
  "joined-copy",
  "restricted-parent",
  "rows-moved",
  "some-deleted",
  "replace-of-a-parent",
]

/** Every row is there, but not what it held, or not what kept it in order. */
const withoutRows = ["everything-updated", "left-joined-copy", "names-changed", "parts-forgotten"]

test("what keeps every row passes, unless rows decide, or values or parts go", () => {
  const alarms = corpus.filter((shape) => shape.onD1 === "keeps" && isRefused(judge(shape)))
  expect(alarms.map(({ name }) => name).toSorted()).toEqual([...byLuck, ...withoutRows].toSorted())
})

test.each(corpus)("$name: $onD1 on D1", async (shape) => {
  const databaseId = await account.createDatabase(`corpus-${shape.name}`.slice(0, 60))
  const query = (sql: string) => account.query(databaseId, sql)
  const { given, change, losesRows } = triedShape(shape)
  await query(given)
  const outcome = await query(change).then(
    () => undefined,
    () => "fails",
  )
  const lost = await losesRows(query)
  expect(outcome ?? (lost ? "loses" : "keeps")).toBe(shape.onD1)
})
