import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

function createProject(files: Record<string, string>) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-lint-"))
  for (const [name, sql] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), sql)
  }
  const run = (name: string, ...args: string[]) => {
    const command = [join(root, "packages/tools/cli/main.js"), "database", name, ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: directory,
      encoding: "utf8",
    })
    return { code: status, stdout, stderr }
  }
  const lint = (...args: string[]) => run("lint", ...args)
  return { directory, run, lint, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}

const tables = `CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);`
function rebuild(table: string, columns: string): string {
  return `CREATE TABLE __new_${table} (${columns});
INSERT INTO __new_${table} SELECT * FROM ${table};
DROP TABLE ${table};
ALTER TABLE __new_${table} RENAME TO ${table};`
}

const ofParent = rebuild("user", "id TEXT PRIMARY KEY, name TEXT DEFAULT ''")
const ofLeaf = `-- accounts:loses reference session.user_id: accounts with sessions are not deleted
${rebuild("session", "id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id)")}`

test("a file is judged by the files before it, in both of drizzle-kit's layouts", () => {
  using project = createProject({
    "flat/0000_tables.sql": tables,
    "flat/0001_leaf.sql": ofLeaf,
    "flat/0002_parent.sql": ofParent,
    "nested/20260101000000_tables/migration.sql": tables,
    "nested/20260102000000_parent/migration.sql": ofParent,
  })
  const lintOfLeaf = project.lint("flat/0000_tables.sql", "flat/0001_leaf.sql")
  expect(lintOfLeaf).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("what it declares, and"),
  })
  // The leaf refers to its parent without CASCADE by now: D1 would refuse the file.
  expect(project.lint("flat/0002_parent.sql")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("flat/0002_parent.sql:3:12: error cascade-parent: fails"),
    stderr:
      "error: flat/0002_parent.sql would lose rows or values, fail, or could not be judged.\n",
  })
  expect(project.lint("nested/20260102000000_parent/migration.sql")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("rows of session are deleted"),
  })
})

test("the schema before a file may be given, and files without numbers follow each other", () => {
  using project = createProject({
    "schema.sql": tables,
    "leaf.sql": ofLeaf,
    "parent.sql": ofParent,
  })
  expect(project.lint("leaf.sql").code).toBe(1)
  expect(project.lint("leaf.sql", "--schema", "schema.sql").code).toBe(0)
  expect(project.lint("schema.sql", "leaf.sql").code).toBe(0)
  expect(project.lint("schema.sql", "parent.sql").code).toBe(1)
})

test("--json prints every finding of every file", () => {
  using project = createProject({ "0000_tables.sql": tables, "0001_parent.sql": ofParent })
  const { code, stdout } = project.lint("0000_tables.sql", "0001_parent.sql", "--json")
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    files: [
      { file: "0000_tables.sql", refused: false, findings: [] },
      {
        file: "0001_parent.sql",
        refused: true,
        findings: [{ rule: "cascade-parent", level: "error", line: 3, column: 12 }],
      },
    ],
  })
})

test("wrong usage ends with 2, an open quote with 1 and its line", () => {
  using project = createProject({ "0000_open.sql": "SELECT 1;\nSELECT 'open;" })
  expect(project.lint("--everything")).toMatchObject({ code: 2, stdout: "" })
  const missing = project.lint("nothing.sql")
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing.sql cannot") })
  expect(project.lint("0000_open.sql")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("0000_open.sql:2:1: error fails: line 2: the text in '' never"),
  })
})

test("without files, those of the project are judged", () => {
  using project = createProject({})
  const lintOfEmpty = project.lint()
  expect(lintOfEmpty).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("0000_accounts.sql: keeps"),
  })
  expect(lintOfEmpty.stdout).toContain("It is declared.")
})

test("fix rewrites a rebuild once, and names what it cannot fix", () => {
  using project = createProject({
    "0000_tables.sql": tables,
    "0001_parent.sql": ofParent,
    "0002_drop.sql": "DROP TABLE user;",
  })
  expect(project.lint("0001_parent.sql").code).toBe(1)
  const fixed = project.run("fix", "0001_parent.sql", "--json")
  expect(fixed).toMatchObject({ code: 0, stdout: expect.stringContaining('"changed":true') })
  expect(project.lint("0001_parent.sql").code).toBe(0)
  const secondFix = project.run("fix", "0001_parent.sql", "--json")
  expect(secondFix).toMatchObject({ code: 0, stdout: expect.stringContaining('"changed":false') })
  expect(project.run("fix", "0002_drop.sql")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("0002_drop.sql cannot be written safely: line 1 takes rows"),
  })
  expect(project.run("fix", "nothing.sql").code).toBe(2)
})
