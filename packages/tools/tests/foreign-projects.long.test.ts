import { readdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { afterAll, describe, expect, test } from "vitest"

import {
  foreignProject,
  type ForeignProject,
  newDrizzleKitMissing,
} from "./testing/foreign-project.ts"

const cloudflare = await localCloudflare()
afterAll(() => cloudflare[Symbol.asyncDispose]())

const missing = await newDrizzleKitMissing()
const note = missing ? ` skipped: ${missing}` : ""

/** Lints, applies and compares; wrangler finds nothing that it would apply. */
async function expectApplied(project: ForeignProject, names: string[]) {
  const listed = await project.pending()
  expect(listed).toContain(names.at(-1))
  expect(await project.migrations("lint")).toMatchObject({ code: 0, stderr: "" })
  const before = await project.migrations("status")
  expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining("pending") })
  expect(await project.migrations("apply")).toMatchObject({ code: 0 })
  const { code, stdout } = await project.migrations("status", "--json")
  const { migrations } = JSON.parse(stdout)
  expect([code, migrations.map(({ name }: { name: string }) => name)]).toEqual([0, names])
  expect(await project.pending()).toContain("No migrations to apply!")
  expect(await project.wrangler("migrations", "apply", "DB", "--remote")).toContain(
    "No migrations to apply!",
  )
  expect((await project.migrations("apply")).stderr).toContain("nothing to apply")
}

/** Expects that a file which would lose the new row is not applied. */
async function expectRefused(project: ForeignProject, file: string, row: string) {
  await project.execute(row)
  const linted = await project.migrations("lint", file, "--json")
  expect(linted.code).toBe(1)
  expect(JSON.parse(linted.stdout).files).toMatchObject([{ file, outcome: "loses", unknown: [] }])
  const applied = await project.migrations("apply")
  expect(applied).toMatchObject({ code: 1, stderr: expect.stringContaining("-- d1:loses") })
  expect((await project.migrations("status")).code).toBe(1)
  expect(await project.pending()).not.toContain("No migrations to apply!")
}

test("files of wrangler, with a gap, a folder and a ledger of their own", async () => {
  const settings = { migrations_dir: "./sql", migrations_table: "done" }
  const files = { "sql/README.md": "# Migrations" }
  await using project = await foreignProject({ cloudflare, settings, files })
  const create = async (name: string, sql: string) => {
    await project.wrangler("migrations", "create", "DB", name)
    const file = `sql/${readdirSync(join(project.directory, "sql")).toSorted().at(-2)}`
    await project.write(file, `${await project.read(file)}${sql}\n`)
    return file
  }
  await create("user", "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);")
  const removedFile = await create("gone", "SELECT 1;")
  await create("note", "CREATE TABLE note (user_id TEXT REFERENCES user (id) ON DELETE CASCADE);")
  await rm(join(project.directory, removedFile))
  await project.wrangler("migrations", "apply", "DB", "--remote")
  await create("named", "CREATE INDEX user_name ON user (name);")
  await expectApplied(project, ["0001_user.sql", "0003_note.sql", "0004_named.sql"])
  const last = await create("clean", "DELETE FROM user;")
  expect(last).toBe("sql/0005_clean.sql")
  await expectRefused(project, last, "INSERT INTO user (id) VALUES ('a')")
})

test("a database that was made by hand is adopted", async () => {
  const user = "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);"
  const files = {
    "migrations/0001_user.sql": user,
    "migrations/0002_tag.sql": "CREATE TABLE tag (id);",
  }
  await using project = await foreignProject({ cloudflare, files })
  await project.execute(user)
  const planned = await project.migrations("baseline", "--dry-run", "--json")
  expect(JSON.parse(planned.stdout)).toMatchObject({
    adopted: ["0001_user.sql"],
    pending: ["0002_tag.sql"],
    written: false,
  })
  expect((await project.migrations("baseline")).code).toBe(0)
  await expectApplied(project, ["0001_user.sql", "0002_tag.sql"])
})

const drizzleConfig = `export default { dialect: "sqlite", schema: "./schema.ts", out: "./drizzle" }`

function drizzleSchema(columns: string) {
  return `import { sqliteTable, text } from "drizzle-orm/sqlite-core"
export const user = sqliteTable("user", { ${columns} })
export const note = sqliteTable("note", {
  id: text("id").primaryKey(),
  userId: text("user_id").references(() => user.id, { onDelete: "cascade" }),
})
`
}

const versions = {
  first: `id: text("id").primaryKey(), name: text("name")`,
  second: `id: text("id").primaryKey(), name: text("name"), mail: text("mail")`,
  last: `id: text("id").primaryKey(), name: text("name")`,
}

const withMail = "INSERT INTO user (id, mail) VALUES ('a', 'b')"

function drizzleFiles(project: ForeignProject): string[] {
  return readdirSync(join(project.directory, "drizzle"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
}

async function generate(project: ForeignProject, columns: string): Promise<string> {
  const before = new Set(drizzleFiles(project))
  await project.write("schema.ts", drizzleSchema(columns))
  await project.drizzleKit("generate")
  return drizzleFiles(project).find((name) => !before.has(name)) ?? "none"
}

const drizzleProject = { "drizzle.config.ts": drizzleConfig, "drizzle/README.md": "# Migrations" }

test("files of drizzle-kit 0.31", async () => {
  const settings = { migrations_dir: "drizzle" }
  await using project = await foreignProject({ cloudflare, settings, files: drizzleProject })
  const names = [await generate(project, versions.first), await generate(project, versions.second)]
  expect(names).toEqual([
    expect.stringMatching(/^0000_\w+\.sql$/),
    expect.stringMatching(/^0001_\w+\.sql$/),
  ])
  await expectApplied(project, names)
  await expectRefused(project, `drizzle/${await generate(project, versions.last)}`, withMail)
})

test("a database that drizzle-kit 0.31 migrated is adopted", async () => {
  const settings = { migrations_dir: "drizzle" }
  await using project = await foreignProject({ cloudflare, settings, files: drizzleProject })
  const { accountId, token } = cloudflare
  const dbCredentials = { accountId, token, databaseId: project.databaseId }
  const place = { dialect: "sqlite", driver: "d1-http", schema: "./schema.ts", out: "./drizzle" }
  const config = JSON.stringify({ ...place, dbCredentials })
  await project.write("drizzle.config.ts", `export default ${config}`)
  const first = await generate(project, versions.first)
  await project.drizzleKit("migrate")
  expect((await project.migrations("apply")).code).toBe(1)
  expect((await project.migrations("baseline")).code).toBe(0)
  await expectApplied(project, [first, await generate(project, versions.second)])
})

describe.skipIf(missing !== undefined)(`[drizzle-kit 1.0]${note}`, () => {
  test("folders of drizzle-kit 1.0 have in the ledger the names that wrangler gives them", async () => {
    const settings = { migrations_dir: "drizzle", migrations_pattern: "drizzle/*/migration.sql" }
    const files = drizzleProject
    await using project = await foreignProject({ cloudflare, settings, files, packages: "new" })
    const first = await generate(project, versions.first)
    expect(first).toMatch(/^\d{14}_\w+\/migration\.sql$/)
    await project.wrangler("migrations", "apply", "DB", "--remote")
    expect(await project.execute("SELECT name FROM d1_migrations")).toContain(first)
    // Its folders are named by the second.
    await delay(1000)
    const second = await generate(project, versions.second)
    await expectApplied(project, [first, second])
    await delay(1000)
    await expectRefused(project, `drizzle/${await generate(project, versions.last)}`, withMail)
  })
})
