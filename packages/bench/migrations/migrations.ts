import { markdownTable } from "../../tools/documents/pages.ts"
import { median } from "../measure.ts"
import { publish, say, startFacts } from "../report.ts"
import { applyCosts, rows } from "./apply-cost.ts"
import { lintCost } from "./lint-cost.ts"

const files = 100
/** The highest cost that is allowed, as a multiple of the plain statements. */
const ceilings: Record<string, string> = {
  "one row by its key": "5",
  "a rebuild without an index": "1.6",
  "a rebuild with two indexes": "1.6",
}

export async function benchMigrations({
  rounds,
  write,
}: {
  rounds: number
  write?: boolean
}): Promise<void> {
  const facts = startFacts()
  say(`applying to ${rows} rows`)
  const applied = await applyCosts(rounds)
  say(`linting ${files} files`)
  const [many, single] = [lintCost(files), lintCost(1)]
  const whole = (value: number) => value.toFixed(0)
  const costs = markdownTable(
    [`file, on ${rows} rows`, "plain, ms", "with the guard, ms", "ratio", "at most"],
    applied.map(({ change, plain, guarded }) => {
      const [plainMs, is] = [median(plain), median(guarded)]
      return [
        change,
        plainMs.toFixed(1),
        is.toFixed(1),
        (is / plainMs).toFixed(2),
        ceilings[change] ?? "",
      ]
    }),
  )
  const lint = markdownTable(
    ["lint", "tables", "processor time, s", "to one file", "memory, MiB", "at most"],
    [
      ["1 file", whole(single.tables), single.seconds.toFixed(1), "1", whole(single.mib), ""],
      [
        `${files} files`,
        whole(many.tables),
        many.seconds.toFixed(1),
        whole(many.seconds / single.seconds),
        whole(many.mib),
        "7 s, 250 MiB",
      ],
    ],
  )
  publish({ part: "migrations", measured: `${costs}\n\n${lint}\n\n${facts()}`, write })
}
