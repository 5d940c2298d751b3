import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { splitStatements } from "@accounts-stack/d1-migrations/files"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"

/** Copies all files that `npm run migration` reads and writes, so that they can be changed. */
async function copyOfTables() {
  const directory = await mkdtemp(join(tmpdir(), "accounts-tables-"))
  for (const name of ["app", "migrations", "drizzle.config.ts", "package.json"]) {
    await cp(join(root, name), join(directory, name), { recursive: true })
  }
  await symlink(join(root, "node_modules"), join(directory, "node_modules"))
  return {
    async edit(file: string, change: (text: string) => string) {
      const path = join(directory, file)
      const text = await readFile(path, "utf8")
      expect(change(text)).not.toBe(text)
      await writeFile(path, change(text))
    },
    /** Runs `npm run migration`; the names of the files that it added. */
    async migration(): Promise<string[]> {
      const folder = join(directory, "migrations")
      const before = await readdir(folder)
      // The files that it wrote may be refused.
      await this.generate().catch(() => {})
      return (await readdir(folder)).filter((name) => !before.includes(name))
    },
    generate: (flags = ["--name", "next"]) => {
      const script = join(root, "packages/tools/cli/database/generate-migration.ts")
      return promisify(execFile)(process.execPath, [script, ...flags], { cwd: directory })
    },
    /** Statements that `npm run migration` writes, except removals, which wait for a second release. */
    async beyondRemovals(): Promise<string[]> {
      const names = await this.migration()
      const files = names
        .filter((name) => name.endsWith(".sql"))
        .map((name) => readFile(join(directory, "migrations", name), "utf8"))
      const statements = splitStatements((await Promise.all(files)).join("\n"))
      const removal = /^(?:ALTER TABLE \S+ DROP COLUMN|DROP (?:TABLE|INDEX)) /
      return statements.map(({ sql }) => sql).filter((sql) => !removal.test(sql))
    },
    read: (file: string) => readFile(join(directory, file), "utf8"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}

/** Values of `enumColumn` columns and settings of the service, by file; lists of paths are excluded. */
const lists = globSync("app/**/*.ts", { cwd: root }).flatMap((file) =>
  Array.from(
    readFileSync(join(root, file), "utf8").matchAll(
      /^export const (\w+) = \[[^\]/]*\] as const$/gm,
    ),
    ([, list = ""]) => [file, list] as const,
  ),
)

test("the tables and the migrations agree, and a value more in every list changes no table", async () => {
  await using tables = await copyOfTables()
  expect(await tables.beyondRemovals()).toEqual([])
  for (const [file, list] of lists) {
    await tables.edit(file, (text) => text.replace(`${list} = [`, `${list} = ["another", `))
  }
  expect(await tables.migration()).toEqual([])
  // A change that does concern a table is noticed.
  await tables.edit("app/plan/usage.table.ts", (text) => text.replace("count > 0", "count > 1"))
  expect(await tables.migration()).toEqual([expect.stringMatching(/^\d{4}_next\.sql$/)])
})

test("npm run migration makes no name up", async () => {
  await using tables = await copyOfTables()
  await tables.edit("app/plan/usage.table.ts", (text) => text.replace("count > 0", "count > 1"))
  await expect(tables.generate([])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("npm run migration -- --name"),
  })
  expect(await tables.migration()).toEqual([expect.stringMatching(/^\d{4}_next\.sql$/)])
})

test("npm run migration says at once what will be refused of what it wrote, and why", async () => {
  await using tables = await copyOfTables()
  const metric = "    metric: listed("
  const add = (column: string) =>
    tables.edit("app/plan/usage.table.ts", (text) => text.replace(metric, `${column},${metric}`))
  await add('title: text("title")')
  expect((await tables.generate()).stderr).toMatch(/_next\.sql: keeps every row and value/)
  await add('note: text("note").notNull()')
  await expect(tables.generate()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /_next\.sql:1:1: error fails-on-rows.*Change the file, or delete it with its entry in migrations\/meta/s,
    ),
  })
})

test("every list of values that a table holds is one that grows", async () => {
  const files = await readdir(join(root, "app"), { recursive: true })
  const sources = await Promise.all(
    files
      .filter((name) => name.endsWith(".table.ts"))
      .map((name) => readFile(join(root, "app", name), "utf8")),
  )
  const text = sources.join("\n")
  const listNames = [...text.matchAll(/listed\("\w+", (\w+)\)/g)].map(([, list]) => list)
  expect(new Set(listNames)).toEqual(new Set(lists.map(([, list]) => list)))
  expect(text).not.toMatch(/enum:|check\([^)]*\bin \('[^)]*'\)`\)/)
})

test("a column that the code no longer uses may wait for the file that drops it", async () => {
  await using tables = await copyOfTables()
  await tables.edit("app/service/platform/database/auth.table.ts", (text) =>
    text.replace(/ +signInFailuresSince: .*\n/, ""),
  )
  expect(await tables.beyondRemovals()).toEqual([])
  await tables.edit("app/service/platform/database/auth.table.ts", (text) =>
    text.replace(/ +image: .*\n/, '$&other: text("other"),'),
  )
  expect(await tables.beyondRemovals()).toEqual(["ALTER TABLE `user` ADD `other` text;"])
})

test("npm run migration rebuilds a table with children so that their rows stay", async () => {
  await using tables = await copyOfTables()
  await tables.edit("app/service/platform/database/auth.table.ts", (text) =>
    text.replace("default(0)", "default(1)"),
  )
  const [name = ""] = await tables.migration()
  const sql = await tables.read(join("migrations", name))
  expect(sql).toContain('UPDATE `user` SET "id" = \'moved:\' || "id";')
  expect(sql).toContain("CREATE TRIGGER `user_role_inserted`")
  expect(sql).not.toMatch(/foreign_keys\s*=\s*OFF/i)
})
