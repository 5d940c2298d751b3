import { join } from "node:path"

import { expect, test } from "vitest"

import { sqliteD1 } from "../d1/sqlite.ts"
import { messageOf } from "../failure.ts"
import { lintScript } from "../lint/lint.ts"
import { readCases } from "../lint/testing/cases.ts"
import { seededRandom } from "../testing/seeded-random.ts"
import { applyCase } from "./testing/apply-case.ts"
import { randomFile } from "./testing/random-file.ts"

type File = { name: string; before: string; rows: string; change: string }

const generated = process.env["SOAK_BUDGET"] === "full" ? 1500 : 150
const cases: File[] = readCases(join(import.meta.dirname, "testing/real-rows"))
const drawn = Array.from({ length: generated }, (_, index): File => {
  const { earlier: before, rows, sql } = randomFile(seededRandom(700_000 + index))
  return { name: `generated ${index}`, before, rows, change: sql }
})

/** No line allows dangling references, or row numbers that other rows have: the message says what to write instead. */
const withoutLine =
  /leave PRAGMA defer_foreign_keys = OFF out|copy the numbers as well \(INSERT INTO … \(rowid, …\)/

const declaration = /-- d1:(?!accept)(.+?): /

function linesIn(text: string): string[] {
  const printed = text.match(/-- d1:(?!accept).+?: REASON/g) ?? []
  return printed.flatMap(
    (line) => declaration.exec(line)?.[1]?.replace(" N rows", " 1000 rows") ?? [],
  )
}

/** Keeps the newer of two lines of one subject, as an author who corrects a number does. */
function added(lines: string[], additions: string[]): string[] {
  const subject = (line: string) => line.replace(/, (?:at most .*|all rows)$/, "")
  return [...new Map([...lines, ...additions].map((line) => [subject(line), line])).values()]
}

/** The reason why a file is refused with the lines that it is told to write; undefined if it is applied. */
async function deadEnd({ before, rows, change }: File, asLintSays: boolean) {
  const isLine = (text: string) => declaration.test(text) && text.startsWith("-- d1:")
  const fileLines = change.split("\n")
  const body = fileLines.filter((line) => !isLine(line)).join("\n")
  let lines = fileLines.filter(isLine).flatMap((line) => declaration.exec(line)?.[1] ?? [])
  const written = () =>
    [...lines.map((line) => `-- d1:${line}: decided in the ticket`), body].join("\n")
  const rounds = asLintSays ? 4 : 0
  for (let round = 0; round < rounds; round += 1) {
    const { findings } = lintScript({ sql: written(), earlier: [before] })
    const errors = findings.filter(({ level }) => level === "error")
    const missing = added(lines, linesIn(errors.map(({ rewrite }) => rewrite).join("\n")))
    if (missing.join() === lines.join()) break
    lines = missing
  }
  for (let round = 0; round < 6; round += 1) {
    const { up, said } = await applyCase({ before, rows, change: written() })
    if (up === "applied" || withoutLine.test(said)) return undefined
    const missing = added(lines, linesIn(said))
    if (missing.join() === lines.join()) return said
    lines = missing
  }
  return "a circle"
}

/** Whether D1 itself fails the file with these rows, whatever is declared. */
async function isBroken({ before, rows, change }: File): Promise<boolean> {
  using d1 = sqliteD1()
  await d1.change(before)
  await d1.change(rows)
  return d1.change(change).then(
    () => false,
    (error: unknown) => messageOf(error) !== "",
  )
}

test.each([
  ["apply", false],
  ["lint, and then apply,", true],
])(
  "what %s tells to write lets each file through",
  async (_who, asLintSays) => {
    const stuck: { name: string; said: string }[] = []
    for (const file of [...cases, ...drawn]) {
      if (await isBroken(file)) continue
      const lintEnd = await deadEnd(file, asLintSays)
      if (lintEnd !== undefined) stuck.push({ name: file.name, said: lintEnd })
    }
    expect(stuck).toEqual([])
  },
  900_000,
)
