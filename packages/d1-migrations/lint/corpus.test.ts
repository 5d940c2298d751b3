import { afterAll, expect, test } from "vitest"

import { startLocalD1 } from "../testing/local-d1.ts"
import { isRefused, lintScript } from "./lint.ts"
import { readCorpus } from "./testing/corpus.ts"
import { ruleTexts } from "./testing/rule-texts.ts"
import { triedShape } from "./testing/tried-shapes.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

const corpus = readCorpus().map((shape) =>
  Object.assign(shape, { verdict: lintScript({ sql: shape.change, earlier: [shape.before] }) }),
)

test.each(corpus)("$name: $title", ({ verdict, lint }) => {
  const labels = verdict.findings.map(({ level, rule }) => `${level} ${rule}`)
  expect([...new Set(labels)].toSorted()).toEqual(lint)
})

/** Of tables that are not known, as all are here. */
const ofUnknown = "not-judged"

test.each(Object.keys(ruleTexts).filter((rule) => rule !== ofUnknown))(
  "the corpus has what %s finds",
  (rule) => {
    expect(corpus.flatMap(({ lint }) => lint)).toContainEqual(expect.stringMatching(` ${rule}$`))
  },
)

test("nothing that loses rows or fails on D1 passes", () => {
  for (const shape of corpus) {
    if (shape.onD1 === "keeps") continue
    expect([shape.name, isRefused(shape.verdict)]).toEqual([shape.name, true])
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
  const alarms = corpus.filter((shape) => shape.onD1 === "keeps" && isRefused(shape.verdict))
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
