import { expect, test } from "vitest"

import { git, commit } from "./testing/commit.ts"
import { copyForNouns } from "./testing/noun-copy.ts"
import { removeNoun } from "./testing/noun-edits.ts"

const tables = [
  "compatibility_result",
  "consent",
  "journal_entry",
  "kept_checkout",
  "kept_consent",
  "kept_payment",
  "payment",
  "payment_event",
]

test("without any of the nouns the migration that drops their tables is rehearsed, and the service deployed", async () => {
  await using copy = copyForNouns()
  const { directory } = copy
  for (const noun of ["journal", "payment", "compatibility", "consent"]) removeNoun(directory, noun)
  expect(await copy.describe()).toEqual(["", ""])
  commit(directory, "Remove what is not ours")
  git(directory, "switch", "--quiet", "--create", "tables")
  const { file } = await copy.migrate("without_them")
  const losses = tables.map((table) => `-- accounts:loses ${table}, all rows: no part of this`)
  // A table goes before the one that it refers to.
  const first = "DROP TABLE `payment`;--> statement-breakpoint\n"
  copy.edit(file, (sql) => [...losses, `${first}${sql.replace(first, "")}`].join("\n"))
  await copy.succeed("environment", "render")
  commit(directory, "Drop the tables")
  await copy.succeed("environment", "check")
  await copy.succeed("database", "rehearse", "--from", "main")
  const flags = ["--once", "--state", copy.state, "--port", "0", "--api-port", "0"]
  const { stdout, stderr } = await copy.succeed("start", ...flags)
  expect(stdout + stderr).toContain("ready")
})
