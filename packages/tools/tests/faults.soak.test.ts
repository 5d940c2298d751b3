import { seededRandom } from "@accounts-stack/local/seeded-random"
import { expect, test } from "vitest"

import { openFaultAccount } from "./testing/faults/fault-account.ts"
import { operations } from "./testing/faults/fault-operations.ts"
import { runWithFault } from "./testing/faults/fault-run.ts"
import {
  cellsOf,
  withoutMessages,
  documentedRows,
  writeRow,
  type Row,
} from "./testing/faults/fault-table.ts"

const full = process.env["SOAK_BUDGET"] === "full"
const updating = full && process.env["UPDATE_FAULTS"] !== undefined
const seed = Number(process.env["SOAK_SEED"] ?? 1)

const cases = operations.flatMap((operation) =>
  operation.cases.map((faultCase) => ({ operation, one: faultCase })),
)
function orderOf(name: string, fault: string) {
  return cases.findIndex(({ operation, one }) => operation.name === name && one.fault === fault)
}

/** All pairs of operation and fault, or a few that the seed picks. */
function chosen() {
  if (updating) {
    const documented = new Set(
      documentedRows().map(([name = "", fault = ""]) => orderOf(name, fault)),
    )
    return cases.filter((_, index) => !documented.has(index))
  }
  if (full) return cases
  const chance = seededRandom(seed)
  return cases.filter(() => chance() < 0.08)
}

test(`clients react to faults as docs/faults.md says (seed ${seed})`, async () => {
  await using account = await openFaultAccount()
  const rows: Row[] = []
  for (const { operation, one } of chosen()) {
    const row = await runWithFault(account, operation, one)
    rows.push(row)
    if (updating) writeRow(row, orderOf)
  }
  const measured = rows.map((row) => withoutMessages(cellsOf(row)))
  expect(documentedRows().map(withoutMessages)).toEqual(expect.arrayContaining(measured))
})
