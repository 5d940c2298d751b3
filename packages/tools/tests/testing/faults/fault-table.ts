import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = join(import.meta.dirname, "../../../../../docs/faults.md")

/** How one client reacted to one fault. */
export type Row = {
  operation: string
  fault: string
  outcome: string
  /** How many requests matched the rule: more than one is a retry. */
  requests: number
  after: string
  /** Outcome of the same command, run again without the fault. */
  again: string
}

const columns = ["Operation", "Fault", "Outcome", "Requests", "After it", "Run again"]

/** The cells that must be the same in every run: error messages may depend on the machine. */
export function withoutMessages(cells: string[]): string[] {
  return cells.map((cell) => (cell.startsWith("fails: ") && cell !== cells.at(-1) ? "fails" : cell))
}

/** A row of `docs/faults.md`, without the spaces that align its cells. */
export function cellsOf(row: Row): string[] {
  const { operation, fault, outcome, requests, after, again } = row
  return [operation, fault, outcome, String(requests), after, again]
}

/** Writes a row to the document; oxfmt aligns it. */
export function writeRow(row: Row, order: (operation: string, fault: string) => number): void {
  const cells = cellsOf(row)
  const others = documentedRows().filter(
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
export function documentedRows(): string[][] {
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

const introduction = `# How clients react to faults

The clients are real wrangler and this project's provider (\`Migrations\`, \`Release\`, \`Version\`), run against the local
Cloudflare. Each run injects one fault into one request. \`npm test\` checks some of the rows, \`npm run soak\` all of them;
with \`UPDATE_FAULTS=1\` and \`--budget full\`, \`npm run soak\` writes the missing rows.

- _Requests_ counts the requests that matched the fault: more than one means that the client retried.
- _After it_ is the state after the client has exited. A version that is neither deployed nor in any state is an orphan.
- _Run again_ is the same command without a fault, where the first one failed.
- Requests that never get a response are left out: clients may wait very long (this project's provider: 45 s).
`
