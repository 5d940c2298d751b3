import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { nameProblem, parseMigration, readMigrations } from "./migration-files.ts"

async function folder(files: Record<string, string | Uint8Array>) {
  const path = await mkdtemp(join(tmpdir(), "migrations-"))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test("files are read in the order of their numbers, with a hash of the text to send", async () => {
  await using migrations = await folder({
    "0001_more.sql": "SELECT 1;",
    "0000_first.sql": "SELECT 0;",
    "README.md": "notes",
    ".gitkeep": "",
  })
  await mkdir(join(migrations.path, "meta"))
  const files = await readMigrations(migrations.path, { consecutive: true })
  expect(files.map(({ name }) => name)).toEqual(["0000_first.sql", "0001_more.sql"])
  expect(files[0]?.sha256).toBe("51f765002c77080f4282e883d77cf9e6a3ee7a1693b77a9eb98a38b24da89299")
})

test("line endings do not matter: a checkout on Windows has the same migration", () => {
  const unix = parseMigration("0000_a.sql", Buffer.from("SELECT 1;\nSELECT 2;\n"))
  const windows = parseMigration("0000_a.sql", Buffer.from("SELECT 1;\r\nSELECT 2;\r\n"))
  expect(windows).toEqual(unix)
  expect(windows.sql).not.toContain("\r")
})

test.each([
  [["0000_a.sql", "0000_b.sql"], '"0000_a.sql" and "0000_b.sql" have the same number'],
  [["0000_a.sql", "0002_b.sql"], '0001 is missing before "0002_b.sql"'],
  [["0001_a.sql"], '0000 is missing before "0001_a.sql"'],
  [["0000_a.sql", "0002_c.sql", "0001_b.sql"], '0001 is missing before "0002_c.sql"'],
  [["0000_a.sql", "init.sql"], '"init.sql" is not a migration\'s name'],
  [["0000_A.sql"], '"0000_A.sql" is not a migration\'s name'],
  [["0000_a'b.sql"], "is not a migration's name"],
  [["0000_a.sql.bak"], '"0000_a.sql.bak" is not a migration\'s name'],
  [[], "there are no migrations"],
])("the names %j are rejected", (names, problem) => {
  expect(nameProblem(names)).toContain(problem)
})

test("valid names have no problem", () => {
  expect(nameProblem(["0000_a.sql", "0001_b-c_2.sql"])).toBeUndefined()
})

test.each([
  ["an open quote", "SELECT 'a", "0000_a.sql, line 1: the text in '' never ends"],
  ["a NUL", "SELECT '\0';", "NUL character"],
  ["other bytes than UTF-8", Uint8Array.of(0x53, 0xff, 0x3b), "is not plain UTF-8 text"],
  ["a statement above D1's limit", `SELECT '${"é".repeat(50_000)}';`, "statement 1 (line 1) has"],
  ["a file above the limit", "SELECT 1;\n".repeat(500_001), "larger than 5 MB"],
])("%s is rejected", (_what, content, message) => {
  expect(() => parseMigration("0000_a.sql", Buffer.from(content))).toThrow(message)
})

test.each(["", "-- later\n;"])(
  "%j is a file that does nothing, and none of a numbered folder",
  async (sql) => {
    expect(parseMigration("0000_a.sql", Buffer.from(sql)).statements).toEqual([])
    await using opened = await folder({ "0000_a.sql": sql })
    await expect(readMigrations(opened.path)).resolves.toHaveLength(1)
    await expect(readMigrations(opened.path, { consecutive: true })).rejects.toThrow(
      "0000_a.sql holds no statement",
    )
  },
)

test("a byte order mark is no part of a file", () => {
  const [plain, marked] = ["SELECT 1;", "\uFEFFSELECT 1;"].map((sql) =>
    parseMigration("0000_a.sql", Buffer.from(sql)),
  )
  expect(marked).toEqual(plain)
})

test("an error of a folder names the folder or the file", async () => {
  await using gap = await folder({ "0000_a.sql": "SELECT 1;", "0002_c.sql": "SELECT 1;" })
  await expect(readMigrations(gap.path, { consecutive: true })).rejects.toThrow(
    `${gap.path}: 0001 is missing`,
  )
  await using linked = await folder({ "elsewhere.md": "SELECT 1;" })
  await symlink(join(linked.path, "elsewhere.md"), join(linked.path, "0000_a.sql"))
  await expect(readMigrations(linked.path, { consecutive: true })).rejects.toThrow(
    "0000_a.sql is not a regular file",
  )
  await expect(readMigrations(join(gap.path, "none"), { consecutive: true })).rejects.toThrow(
    "cannot be read",
  )
})
