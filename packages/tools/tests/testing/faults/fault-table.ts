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

const columns = ["Faults", "Outcome", "Requests", "After it", "Run again"]

/** The cells that must be the same in every run: error messages may depend on the machine. */
export function withoutMessages(cells: string[]): string[] {
  return cells.map((cell) => (cell.startsWith("fails: ") && cell !== cells.at(-1) ? "fails" : cell))
}

/** The cells of one fault: its operation, itself, and how the client reacted. */
export function cellsOf(row: Row): string[] {
  const { operation, fault, outcome, requests, after, again } = row
  return [operation, fault, outcome, String(requests), after, again]
}

/** Writes a row to the document; oxfmt aligns it. */
export function writeRow(row: Row, order: (operation: string, fault: string) => number): void {
  const otherRows = documentedRows().filter(
    ([operation, fault]) => operation !== row.operation || fault !== row.fault,
  )
  const rows = [...otherRows, withoutMessages(cellsOf(row))].toSorted(
    ([a = "", b = ""], [c = "", d = ""]) => order(a, b) - order(c, d),
  )
  writeFileSync(file, faultPage(rows))
}

/** The document: a table for each operation, with one line for the faults that end alike. */
function faultPage(rows: string[][]): string {
  const operations = Map.groupBy(rows, ([operation = ""]) => operation)
  const sections = Array.from(operations, ([operation, operationRows]) => {
    const alike = Map.groupBy(operationRows, (cells) => cells.slice(2).join(" | "))
    const lines = Array.from(alike, ([reaction, those]) => {
      const faults = those.map(([, fault]) => fault).join("; ")
      return `| ${faults} | ${reaction} |`
    })
    const head = [columns, columns.map(() => "---")].map((cells) => `| ${cells.join(" | ")} |`)
    return `## ${operation}\n\n${[...head, ...lines].join("\n")}\n`
  })
  return [introduction, ...sections].join("\n")
}

/** The cells of each fault of `docs/faults.md`, its operation first. */
export function documentedRows(): string[][] {
  const sections = readFileSync(file, "utf8").split(/^## /m).slice(1)
  return sections.flatMap((section) => {
    const [operation = "", ...lines] = section.split("\n")
    const rows = lines.filter((line) => line.startsWith("|")).slice(2)
    return rows.flatMap((line) => {
      const cells = line.split("|").map((cell) => cell.trim())
      const [faults = "", ...reaction] = cells.slice(1, -1)
      return faults.split("; ").map((fault) => [operation, fault].concat(reaction))
    })
  })
}

const introduction = `# How clients react to faults

What wrangler and this project's provider (\`Migrations\`, \`Release\`, \`Version\`) do when one request to the local Cloudflare fails. \`npm test\` checks some of it, \`npm run soak\` all of it; with \`UPDATE_FAULTS=1\` and \`--budget full\` the latter writes what is missing here.

- _Requests_ counts the requests that matched the fault: more than one means that the client retried.
- _After it_ is the state after the client has exited. A version that is neither deployed nor in any state is an orphan.
- _Run again_ is the same command without a fault, where the first one failed.
- Requests that never get a response are left out: clients may wait very long (this project's provider: 45 s).
`
