import { markdownTable } from "../../infra/markdown-table.ts"
import { digits, percentile } from "../measure.ts"
import { publish } from "../report.ts"
import { simulate, type Group } from "./testing/simulate.ts"

const titles: Record<Group, string> = {
  calm: "calm cell",
  hot: "hot cell",
  failing: "cell that stalls or is overloaded",
  moving: "moved meanwhile",
  "signing up": "signing up",
  "every cell": "an admin's, of all cells",
}

export async function benchCells({ seed, write }: { seed: number; write?: boolean }) {
  publish({ page: "scale.md", measured: await describeDay(seed), write })
}

export async function describeDay(seed: number) {
  const [day, still] = [await simulate({ seed }), await simulate({ seed, moves: false })]
  const rowOf = (title: string, outcomes: typeof day.outcomes) => {
    const took = outcomes.flatMap((one) => (one.isAnswered ? [one.took] : []))
    const sorted = took.toSorted((one, other) => one - other)
    const times = [0.5, 0.99].map((share) => digits(percentile(sorted, share)))
    return [title, `${outcomes.length}`, `${outcomes.length - took.length}`, times.join(" / ")]
  }
  const rows = Object.entries(titles).map(([name, title]) =>
    rowOf(
      title,
      day.outcomes.filter(({ group }) => group === name),
    ),
  )
  const hot = still.outcomes.filter(({ group }) => group === "hot")
  const columns = ["member's", "requests", "503", "p50 / p99 ms"]
  return markdownTable(columns, [...rows, rowOf("hot cell, if nobody moves", hot)])
}
