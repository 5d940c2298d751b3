import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

const main = join(import.meta.dirname, "main.ts")

async function project(files: Record<string, string>) {
  const directory = await temporaryDirectory()
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(directory.path, name)), { recursive: true })
    writeFileSync(join(directory.path, name), content)
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  const start = (program: string, args: string[], folder = ".") => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const env = {
      PATH,
      NODE_COMPILE_CACHE,
      HOME: directory.path,
      GIT_CONFIG_NOSYSTEM: "1",
      NO_COLOR: "1",
    }
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: join(directory.path, folder),
      env,
      encoding: "utf8",
    })
    return { code: status, stdout, stderr }
  }
  return {
    write,
    git: (...args: string[]) =>
      start("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args]),
    read: (name: string) => readFileSync(join(directory.path, name), "utf8"),
    chmod: (name: string) => chmodSync(join(directory.path, name), 0o755),
    run: (...args: string[]) => start(process.execPath, ["--no-warnings", main, ...args]),
    runIn: (folder: string, ...args: string[]) =>
      start(process.execPath, ["--no-warnings", main, ...args], folder),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

const user = "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);"
const note = "CREATE TABLE note (user_id TEXT REFERENCES user (id) ON DELETE CASCADE);"
const rebuild = `CREATE TABLE __new_user (id TEXT PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO __new_user SELECT id, coalesce(name, '') FROM user;
DROP TABLE user;
ALTER TABLE __new_user RENAME TO user;
`

const rows = `INSERT INTO "user" (id) VALUES ('u1');
INSERT INTO "note" (user_id) VALUES ('u1');`

test("lint, fix and rehearse work in a folder without wrangler's settings", async () => {
  await using folder = await project({
    "sql/0001_user.sql": user,
    "sql/0002_note.sql": note,
    "sql/0003_named.sql": rebuild,
    "rows.sql": rows,
  })
  const linted = folder.run("lint", "--dir", "sql")
  expect(linted).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: .*0003_named/) })
  expect(linted.stdout).toContain("sql/0003_named.sql:3:12: error cascade-parent: ")
  const rehearsed = folder.run(
    "rehearse",
    "--dir",
    "sql",
    "--after",
    "0002_note.sql",
    "--rows",
    "rows.sql",
    "--json",
  )
  expect(rehearsed.code).toBe(1)
  expect(JSON.parse(rehearsed.stdout)).toMatchObject({ files: [{ outcome: "refused" }] })

  const fixed = folder.run("fix", "0003_named.sql", "--dir", "sql", "--json")
  expect(JSON.parse(fixed.stdout)).toEqual({ file: "sql/0003_named.sql", changed: true })
  expect(folder.run("lint", "sql/0003_named.sql").code).toBe(0)
  // Only the newest file is pending by default.
  expect(folder.run("rehearse", "--dir", "sql").stdout).toContain("Base 0002_note.sql")
  expect(folder.run("rehearse", "--dir", "sql", "--after", "sql/0002_note.sql").code).toBe(0)
  const withoutRows = folder.run("rehearse", "--dir", "sql").stdout
  expect(withoutRows).toContain("No table has a row, so it shows only that the files run")
})

test.each([
  [["--help"], 0],
  [["--version"], 0],
  [["lint", "--help"], 0],
  [[], 2],
  [["nothing"], 2],
  [["lint", "--format", "json"], 2],
  [["lint", "none.sql"], 2],
  [["apply"], 2],
  // Where no settings name the database.
  [["apply", "--local"], 2],
  [["rehearse", "--after", "migrations/0009_x.sql"], 2],
  [["seed"], 2],
])("%j exits with %i", async (args, code) => {
  await using folder = await project({ "migrations/0001_user.sql": user })
  const { stdout, stderr, ...exit } = folder.run(...args)
  expect([exit.code, `${stdout}${stderr}`.length > 0]).toEqual([code, true])
})

test("settings above go first where wrangler asks for their name first", async () => {
  await using folder = await project({
    "wrangler.json": `{ "d1_databases": [{ "binding": "DB", "migrations_dir": "sql" }] }`,
    "sql/0001_user.sql": user,
    "part/wrangler.toml": `[[d1_databases]]\nbinding = "DB"\nmigrations_dir = "none"\n`,
  })
  const linted = folder.runIn("part", "lint")
  expect(linted).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("sql/0001_user.sql: keeps"),
  })
})

test("the hook of the README stops a commit that would lose rows", async () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
  const [, hook = ""] = /```sh\n(#!\/bin\/sh\n[^]*?)```/.exec(readme) ?? []
  await using folder = await project({
    "migrations/0001_user.sql": user,
    "node_modules/.bin/npx": `#!/bin/sh\nshift\nshift\nexec "${process.execPath}" --no-warnings "${main}" "$@"\n`,
    "README.md": "# Project",
  })
  folder.git("init", "--quiet")
  folder.write(".git/hooks/pre-commit", hook.replace("npx ", "./node_modules/.bin/npx "))
  folder.chmod(".git/hooks/pre-commit")
  folder.chmod("node_modules/.bin/npx")
  const commit = (...files: string[]) => {
    folder.git("add", ...files)
    return folder.git("commit", "--quiet", "--message", "change")
  }
  expect(commit("README.md")).toMatchObject({ code: 0, stderr: "" })
  expect(commit("migrations").code).toBe(0)
  folder.write("migrations/0002_neue Größe.sql", "ALTER TABLE user ADD COLUMN size TEXT;")
  expect(commit("migrations").code).toBe(0)
  folder.write("migrations/0003_clean.sql", "DELETE FROM user;")
  const refused = commit("migrations")
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain("migrations/0003_clean.sql:1:13: error lost-rows")
  folder.write(
    "migrations/0003_clean.sql",
    "-- d1:loses user, all rows: all of them were tests\nDELETE FROM user;",
  )
  expect(commit("migrations").code).toBe(0)
  expect(folder.git("log", "--format=%s").stdout.split("\n").filter(Boolean)).toHaveLength(4)
})

test("lint passes over what is as in a revision, and judges the rest by it", async () => {
  await using folder = await project({
    "migrations/0005_user.sql": user,
    "migrations/0006_clean.sql": "DELETE FROM user;",
  })
  folder.git("init", "--quiet")
  folder.git("add", ".")
  folder.git("commit", "--quiet", "--message", "all")
  expect(folder.run("lint", "--since", "HEAD")).toMatchObject({ code: 0, stderr: "" })
  folder.write("migrations/0007_named.sql", "ALTER TABLE user ADD COLUMN age INTEGER;")
  folder.write("migrations/0008_old.sql", "DELETE FROM user WHERE age IS NULL;")
  const linted = folder.run("lint", "--since", "HEAD")
  expect(linted).toMatchObject({ code: 1, stderr: expect.not.stringContaining("0006_clean") })
  expect(linted.stdout).toContain("migrations/0008_old.sql:1:13: error lost-rows")
  expect(folder.run("lint", "migrations/0007_named.sql")).toMatchObject({ code: 0 })
  const { code, stderr } = folder.run("lint", "--since", "nowhere")
  expect(code).toBe(2)
  expect(stderr).toContain("--since nowhere: fatal: Needed a single revision. Run it within")
})

test("what a stranger lacks is said with what to do next", async () => {
  await using folder = await project({
    "up/0001_user/up.sql": user,
    "one/0007_age.sql": "ALTER TABLE user ADD COLUMN age INTEGER;",
    "short.sql": `${user} -- no reason\n-- d1:loses user, all rows: retention\nDELETE FROM user;`,
  })
  const nothing = folder.run("lint", "--dir", "up")
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("migrations_pattern") })
  expect(nothing.stderr).toContain("no file is called *.sql or */migration.sql there")
  const outside = folder.run("lint", "--dir", "one", "--since", "main")
  expect(outside).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("git fetch origin main"),
  })
  expect(outside.stderr).toContain("not a git repository")
  expect(outside.stderr.trim().split("\n")).toHaveLength(1)
  expect(folder.run("lint", "one/0007_age.sql").stdout).toContain("or give the schema before it")
  expect(folder.run("lint", "short.sql").stdout).toContain("say why in 10 characters or more")
})

test("lint reads the files of every database of the settings, and each file once", async () => {
  const d1_databases = [
    { binding: "A", migrations_dir: "a" },
    { binding: "B", migrations_dir: "b" },
    { binding: "PREVIEW_OF_B", migrations_dir: "b" },
  ]
  await using folder = await project({
    "wrangler.json": JSON.stringify({ d1_databases }),
    "a/0001_user.sql": user,
    "b/0001_user.sql": user,
    "b/0002_clean.sql": "DELETE FROM user;",
  })
  const { code, stdout } = folder.run("lint", "--json")
  expect(code).toBe(1)
  const { files } = JSON.parse(stdout)
  expect(files.map(({ file }: { file: string }) => file)).toEqual([
    "a/0001_user.sql",
    "b/0001_user.sql",
    "b/0002_clean.sql",
  ])
  expect(folder.run("lint", "--database", "A").code).toBe(0)
})

test("the first file that lacks the schema before it names the option for it", async () => {
  await using folder = await project({
    "migrations/0001_age.sql": "ALTER TABLE user ADD COLUMN age INTEGER;",
    "schema.sql": user,
  })
  expect(folder.run("lint").stdout).toContain("--schema")
  expect(folder.run("lint", "--schema", "schema.sql").code).toBe(0)
})
