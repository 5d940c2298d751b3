import { writeMeasured } from "../docs-page.ts"
import { distanceTable } from "./table.ts"

export function benchDistance({ write }: { write?: boolean }): void {
  const table = distanceTable()
  process.stdout.write(`${table}\n`)
  if (write) writeMeasured({ page: "benchmarks.md", part: "distance", measured: table })
}
