import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = join(import.meta.dirname, "../../../docs/faults.md")

/** What one client made of one fault. */
export type Row = {
  operation: string
  fault: string
  outcome: string
  /** How many requests matched the rule: more than one is a retry. */
  requests: number
  after: string
  /** What the same command does when it is run again. */
  again: string
}

const columns = ["Operation", "Fault", "Outcome", "Requests", "After it", "Run again"]

/** What two runs must agree on: a client's words may depend on the machine. */
export function comparable(cells: string[]): string[] {
  return cells.map((cell) => (cell.startsWith("fails: ") && cell !== cells.at(-1) ? "fails" : cell))
}

/** The row as `docs/faults.md` has it, cells without the spaces that align them. */
export function cellsOf(row: Row): string[] {
  const { operation, fault, outcome, requests, after, again } = row
  return [operation, fault, outcome, String(requests), after, again]
}

/** Puts a row into the document; oxfmt aligns it. */
export function keep(row: Row, order: (operation: string, fault: string) => number): void {
  const cells = cellsOf(row)
  const others = committed().filter(
    ([operation, fault]) => operation !== row.operation || fault !== row.fault,
  )
  const rows = [...others, cells].toSorted(
    ([a = "", b = ""], [c = "", d = ""]) => order(a, b) - order(c, d),
  )
  const lines = [columns, columns.map(() => "---"), ...rows]
  const table = lines.map((line) => `| ${line.join(" | ")} |`).join("\n")
  writeFileSync(file, `${introduction}\n${table}\n`)
}

/** The cells of the rows of `docs/faults.md`. */
export function committed(): string[][] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"))
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const introduction = `# What clients make of faults

Real wrangler, this project's provider (\`Migrations\`, \`Release\`) and the stand-in for Cloudflare's provider
(\`WorkerVersion\`) against the local Cloudflare, with one fault in one request of each run. \`npm test\` compares some of
the rows, \`npm run soak\` all of them; with \`UPDATE_FAULTS=1\` and \`--budget full\` that writes
the rows that are missing.

- _Requests_ counts those that the fault was for: more than one means that the client sent it again by itself.
- _After it_ is what is there when the client has ended. A version that nothing is deployed from and that no state knows is an orphan.
- _Run again_ is the same command once more, without a fault, where the first one failed.
- A request that is never answered is not in the table: clients may wait very long (this project's provider: 45 s).
`
