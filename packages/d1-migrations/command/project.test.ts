import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { usualNames } from "../names.ts"
import { type ProjectFlags, readProject, readProjects } from "./project.ts"

const jsonc = `{
  // as wrangler's templates have it
  "account_id": "a1",
  "d1_databases": [
    { "binding": "DB", "database_id": "d1", "migrations_dir": "./drizzle", "migrations_pattern": "drizzle/*/migration.sql", },
    { "binding": "LOG", "database_name": "log", "database_id": "d2", "migrations_table": "done" },
  ],
  "env": { "staging": { "d1_databases": [{ "binding": "DB", "database_id": "d3" }] }, "none": {} },
}`

const toml = `account_id = "a1"
[[d1_databases]]
binding = "DB"
database_id = "d1"
migrations_dir = "sql"
`

async function read(name: string, text: string, flags: ProjectFlags = {}) {
  await using directory = await temporaryDirectory()
  const config = join(directory.path, name)
  await writeFile(config, text)
  const project = readProject({ config, ...flags })
  const { folder, names, settings: _, ...ids } = project
  const path = folder.directory.replace(directory.path, "")
  return { directory: path, pattern: folder.pattern, ledger: names.ledger, ...ids }
}

const usual = { accountId: "a1", ledger: usualNames.ledger, pattern: undefined }

test.each([
  [
    "wrangler.jsonc",
    jsonc,
    { database: "DB" },
    { ...usual, databaseId: "d1", directory: "/drizzle", pattern: "*/migration.sql" },
  ],
  [
    "wrangler.json",
    jsonc,
    { database: "log" },
    { ...usual, databaseId: "d2", directory: "/migrations", ledger: "done" },
  ],
  [
    "wrangler.jsonc",
    jsonc,
    { env: "staging" },
    { ...usual, databaseId: "d3", directory: "/migrations" },
  ],
  ["wrangler.toml", toml, {}, { ...usual, databaseId: "d1", directory: "/sql" }],
])("the settings of %s are wrangler's", async (name, text, flags, project) => {
  expect(await read(name, text, flags)).toEqual(project)
})

test.each([
  ["two databases", jsonc, {}, "Say with --database which of"],
  ["another name", jsonc, { database: "KV" }, "Say with --database which of"],
  ["an unknown environment", jsonc, { env: "prod" }, "has no environment prod"],
  ["no database there", jsonc, { env: "none", database: "DB" }, "Say with --database which of"],
  ["a broken file", "{", {}, "cannot be read"],
  [
    "a pattern elsewhere",
    `{ "d1_databases": [{ "binding": "DB", "migrations_dir": "sql", "migrations_pattern": "a/*.sql" }] }`,
    {},
    "has to begin with migrations_dir",
  ],
])("%s: refused as wrong usage", async (_what, text, flags, message) => {
  const failed = read("wrangler.jsonc", text, flags)
  await expect(failed).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining(message),
  })
})

test("without a choice each database has its project; files that are given have one", async () => {
  await using directory = await temporaryDirectory()
  const config = join(directory.path, "wrangler.jsonc")
  await writeFile(config, jsonc)
  expect(readProjects({ config })).toMatchObject([{ databaseId: "d1" }, { databaseId: "d2" }])
  const projects = readProjects({ config }, ["change.sql"])
  expect(projects).toMatchObject([{ names: usualNames, databaseId: undefined }])
})

test("the sidecar is called after the ledger, and usually as ever", async () => {
  await using directory = await temporaryDirectory()
  const config = join(directory.path, "wrangler.toml")
  await writeFile(config, toml)
  expect(readProject({ config }).names).toEqual(usualNames)
})
