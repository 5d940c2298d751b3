import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { createPrivateFolder } from "./local-process.ts"

test("rows in plain text that a killed run left are deleted by the next one", async () => {
  const folderOf = (pid: number) => join(tmpdir(), `accounts-rows-${pid}-abcdef`)
  const [dead, alive] = [folderOf(999_999_999), folderOf(process.ppid)]
  for (const folder of [dead, alive]) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, "backup.sql"), "rows")
  }
  await using _ = await createPrivateFolder()
  expect([dead, alive].map((folder) => existsSync(folder))).toEqual([false, true])
  await rm(alive, { recursive: true })
})
