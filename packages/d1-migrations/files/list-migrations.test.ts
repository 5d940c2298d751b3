import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { earlierFiles } from "./earlier-files.ts"
import { listMigrations } from "./list-migrations.ts"
import { readMigrations } from "./migration-files.ts"

async function folder(names: string[]) {
  const directory = await temporaryDirectory()
  for (const name of names) {
    await mkdir(dirname(join(directory.path, name)), { recursive: true })
    await writeFile(join(directory.path, name), "SELECT 1;")
  }
  return directory
}

const wrangler = ["0001_user.sql", "0003_tag.sql", "0010_note.sql", "0010_other.sql", "seed.sql"]
const drizzle = ["20260101120000_user/migration.sql", "20260301120000_tag/migration.sql"]

test.each([
  ["wrangler", [...wrangler, "README.md", "meta/0001_snapshot.json", ".hidden.sql"], wrangler],
  ["drizzle-kit 1.0", [...drizzle, "20260101120000_user/snapshot.json"], drizzle],
  ["both: wrangler sees only files", [...drizzle, ...wrangler], wrangler],
  ["numbers of several lengths", ["10_b.sql", "9_a.sql"], ["9_a.sql", "10_b.sql"]],
  ["what undoes a file", ["0001_a.sql", "0001_a.down.sql"], ["0001_a.sql"]],
])("a folder is listed as wrangler lists it: %s", async (_what, files, names) => {
  await using opened = await folder(files)
  expect(listMigrations({ directory: opened.path })).toEqual(names)
  expect((await readMigrations(opened.path)).map(({ name }) => name)).toEqual(names)
})

test("a pattern decides, and numbers count in each part of a path", async () => {
  const names = ["9_first/2_b.sql", "9_first/10_c.sql", "10_second/1_d.sql"]
  await using opened = await folder([...names, "0001_other.sql"])
  const place = { directory: opened.path, pattern: "*/*.sql" }
  expect(listMigrations(place)).toEqual(names)
  const last = join(opened.path, "10_second/1_d.sql")
  expect(earlierFiles(last)).toEqual([])
  await using started = await folder(["0_first/2_b.sql", "0_first/10_c.sql", "1_second/1_d.sql"])
  const earlier = earlierFiles(join(started.path, "1_second/1_d.sql"), {
    directory: started.path,
    pattern: "*/*.sql",
  })
  expect(earlier?.map((path) => relative(started.path, path))).toEqual([
    "0_first/2_b.sql",
    "0_first/10_c.sql",
  ])
})

test.each([
  ["0003_tag.sql", ["0001_user.sql"]],
  ["0001_user.sql", []],
  ["20260301120000_tag/migration.sql", ["20260101120000_user/migration.sql"]],
  ["seed.sql", undefined],
])("the files before %s are %j", async (name, before) => {
  await using opened = await folder([...wrangler, ...drizzle])
  const earlier = earlierFiles(join(opened.path, name))
  expect(earlier?.map((path) => relative(opened.path, path))).toEqual(before)
})

test("before the first file that is there nothing is known, unless it is the first by its number", async () => {
  await using opened = await folder(["0004_a.sql", "0005_b.sql"])
  expect(earlierFiles(join(opened.path, "0004_a.sql"))).toBeUndefined()
  expect(earlierFiles(join(opened.path, "0005_b.sql"))).toEqual([join(opened.path, "0004_a.sql")])
})

test("an empty folder is an error", async () => {
  await using opened = await folder(["README.md"])
  await expect(readMigrations(opened.path)).rejects.toThrow("there are no migrations")
})
