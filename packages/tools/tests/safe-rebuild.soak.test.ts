import { keepChildRows } from "@accounts-stack/d1-migrations/testing/internals"
import { afterAll, expect, test } from "vitest"

import { openAccount } from "../deploy/testing/account.ts"
import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { ownNames } from "../environment/own-names.ts"
import { cases, earlier, generate, openRebuilds, tables } from "./testing/rebuilds.ts"

const isFull = process.env["SOAK_BUDGET"] === "full"
const seed = Number(process.env["SOAK_SEED"] ?? 1)
const picked = cases.filter((_, index) => isFull || index === seed % cases.length)

const cloudflare = await startLocalCloudflare()
const { databaseWithRows, damaged, expectRowsKept } = openRebuilds(openAccount(cloudflare))
afterAll(() => cloudflare[Symbol.asyncDispose]())

test.each(picked)("$name, $shape: every row is kept on D1", (rebuildCase) =>
  expectRowsKept(rebuildCase),
)

if (isFull) {
  test("one file that rebuilds every table keeps every row on D1", async () => {
    const { databaseId, query } = await databaseWithRows("all-tables")
    const sql = await generate(tables.map((table) => [table, "default"]))
    await query(keepChildRows(sql, earlier, ownNames))
    expect(await damaged(databaseId)).toEqual([])
    expect(await query("PRAGMA foreign_key_check")).toEqual([])
  })
}
