import { expect, test } from "vitest"

import { schemaUse } from "../../../../infra/schema-use.ts"
import { copyCheckout } from "../../tests/testing/checkout.ts"
import { importFrom } from "../../tests/testing/import-from.ts"
import { tablesInUse } from "./tables-in-use.ts"

test("the columns in use are those that the tables name", async () => {
  expect(await tablesInUse()).toEqual(schemaUse())
})

test("a process that deploys again and again sees a column that was added meanwhile", async () => {
  await using checkout = copyCheckout()
  const module: { tablesInUse: typeof tablesInUse } = await importFrom(
    checkout,
    "deploy/build/tables-in-use.ts",
  )
  const before = await module.tablesInUse()
  checkout.edit("app/service/platform/audit/audit-entry.table.ts", (source) =>
    source.replace(/id: text\(.*/, `$&\n  addedMeanwhile: text("addedMeanwhile"),`),
  )
  const after = await module.tablesInUse()
  const added = Object.keys(after).filter((table) => after[table]?.includes("addedMeanwhile"))
  expect(added).toHaveLength(1)
  expect(Object.values(after).flat()).toHaveLength(Object.values(before).flat().length + 1)
})
