import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { findObjections } from "@accounts-stack/d1-migrations/testing/find-objections"
import { keepChildRows, openScratchDatabase } from "@accounts-stack/d1-migrations/testing/internals"
import { afterAll, expect, test } from "vitest"

import { openAccount } from "../deploy/testing/account.ts"
import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { ownNames, parseMigration } from "../environment/own-names.ts"
import { cases, earlier, generate, openRebuilds } from "./testing/rebuilds.ts"
import { startSharedWrangler } from "./testing/wrangler.ts"

const cloudflare = await startLocalCloudflare()
const account = openAccount(cloudflare)
const { databaseWithRows, damaged, expectRowsKept } = openRebuilds(account)
const sharedWrangler = startSharedWrangler(cloudflare)
afterAll(async () => {
  await sharedWrangler[Symbol.asyncDispose]()
  await cloudflare[Symbol.asyncDispose]()
})

/** Each change of a table once; safe-rebuild.soak has each of them in each group. */
const sample: Record<string, string[]> = {
  user: ["type", "check", "column dropped"],
  compatibility_result: ["nullable", "no check", "column added"],
  "all others": ["default", "no foreign key", "other action"],
}

test.each(cases.filter(({ name, shape }) => sample[name]?.includes(shape)))(
  "$name, $shape: every row is kept on D1",
  (rebuildCase) => expectRowsKept(rebuildCase),
)

test("wrangler applies what drizzle-kit writes and loses rows; refused here, and safe when fixed", async () => {
  const written = await generate([["compatibility_result", "default"]])
  using before = openScratchDatabase()
  for (const sql of earlier) before.exec(sql)
  const file = parseMigration("0099_default.sql", Buffer.from(written))
  const [along, ...otherObjections] = findObjections(before, [file])
  expect(along).toContain("rows of payment are deleted")
  expect(otherObjections).toEqual([])

  expect(await applyWithWrangler("as-written", written)).toEqual({
    answer: expect.stringMatching(/0099_default\.sql.*✅/),
    damaged: ["payment"],
  })
  expect(await applyWithWrangler("as-fixed", keepChildRows(written, earlier, ownNames))).toEqual({
    answer: expect.stringMatching(/0099_default\.sql.*✅/),
    damaged: [],
  })
})

/** Rejects when wrangler exits with another code than 0. */
async function applyWithWrangler(name: string, sql: string) {
  const { databaseId } = await databaseWithRows(name)
  using wrangler = sharedWrangler.open({
    name,
    d1_databases: [
      { binding: "DB", database_name: name, database_id: databaseId, migrations_dir: "migrations" },
    ],
  })
  mkdirSync(join(wrangler.directory, "migrations"))
  writeFileSync(join(wrangler.directory, "migrations", "0099_default.sql"), sql)
  const answer = await wrangler.run("d1", "migrations", "apply", name, "--remote")
  return { answer, damaged: await damaged(databaseId) }
}
