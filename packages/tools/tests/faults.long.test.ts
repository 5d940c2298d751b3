import { afterAll, expect, test } from "vitest"

import { openFaultAccount } from "./testing/faults/fault-account.ts"
import { operations } from "./testing/faults/fault-operations.ts"
import { runWithFault } from "./testing/faults/fault-run.ts"
import { cellsOf, withoutMessages, documentedRows } from "./testing/faults/fault-table.ts"

/** Covers each kind of outcome in a minute; faults.soak.test.ts runs the rest. */
const chosen = [
  "`Migrations`: ",
  "`Release`: 500, applied",
  "`Release`: reset, applied",
  "`Version`: ",
  "wrangler d1 migrations apply: reset, applied",
]

const rows = operations.flatMap((operation) =>
  operation.cases
    .map((faultCase) => ({
      title: `${operation.name}: ${faultCase.fault}`,
      operation,
      one: faultCase,
    }))
    .filter(({ title }) => chosen.some((start) => title.startsWith(start))),
)

const account = await openFaultAccount()
afterAll(() => account[Symbol.asyncDispose]())

test("docs/faults.md lists every operation with each of its faults", () => {
  const defined = operations.flatMap(({ name, cases }) =>
    cases.map(({ fault }) => `${name}: ${fault}`),
  )
  const documented = documentedRows().map(([operation, fault]) => `${operation}: ${fault}`)
  expect(new Set(documented)).toEqual(new Set(defined))
  expect(documented).toHaveLength(defined.length)
})

test.each(rows)("$title: the outcome is as in docs/faults.md", async ({ operation, one }) => {
  const row = cellsOf(await runWithFault(account, operation, one))
  expect(documentedRows().map(withoutMessages)).toContainEqual(withoutMessages(row))
})
