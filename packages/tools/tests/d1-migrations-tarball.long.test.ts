import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import semver from "semver"
import { expect, test } from "vitest"

import { installPackage } from "./testing/installed-package.ts"

test("another repository installs d1-migrations from its tarball, compiles strictly, and runs it as JavaScript", async () => {
  using installed = await installPackage({
    folder: "d1-migrations",
    beside: ["@types/node@24.19.2"],
    types: ["node"],
  })
  expect(await installed.compile()).toBe("")
  const write = (path: string, sql: string) => writeFileSync(join(installed.directory, path), sql)
  mkdirSync(join(installed.directory, "migrations"))
  write("migrations/0000_note.sql", "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);\n")
  write("migrations/0001_at.sql", "ALTER TABLE note ADD at INTEGER;\n")
  write("bad.sql", "DELETE FROM note;\n")
  const { stdout } = await installed.run(process.execPath, "main.js")
  expect(JSON.parse(stdout)).toEqual({
    applied: ["0000_note.sql", "0001_at.sql"],
    pending: ["0001_at.sql"],
    tables: ["d1_migrations", "d1_migrations_sidecar", "note"],
    rehearsed: [["applied", [{ table: "note", before: 2, after: 2 }]]],
    refused: true,
  })
  const command = join(installed.directory, "node_modules/.bin/d1-migrations")
  expect((await installed.run(command, "lint")).stdout).toContain("0001_at.sql: keeps every row")
  expect((await installed.run(command, "--version")).stdout).toBe("0.1.0\n")
  const refused = installed.run(command, "lint", "bad.sql")
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^bad\.sql:1:13: \S*error\S* not-judged: /),
  })
  const folder = join(installed.directory, "node_modules/@accounts-stack/d1-migrations")
  const beside = ["CHANGELOG.md", "LICENSE", "README.md", "package.json", "rules.md"]
  expect(readdirSync(folder).toSorted()).toEqual(
    [
      ...beside,
      "dist",
      ...readdirSync(folder).filter((name) => name === "node_modules"),
    ].toSorted(),
  )
  expect(readdirSync(join(folder, "dist"))).not.toContain("package.json")
  // The command refuses what npm warns of.
  const manifest = join(folder, "package.json")
  const { engines } = JSON.parse(readFileSync(manifest, "utf8"))
  for (const version of [
    "20.20.2",
    "22.23.3",
    "24.15.0",
    "24.16.0",
    "25.9.0",
    "26.0.0",
    "26.1.0",
  ]) {
    const as = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
    const ran = await installed
      .run(process.execPath, "--import", as, command, "--help")
      .catch(({ stderr }: { stderr: string }) => ({ stdout: stderr }))
    const isTaken = semver.satisfies(version, engines.node)
    const needed = `d1-migrations needs Node 24.16, or 26.1 or newer, and this is Node ${version}. `
    expect(ran.stdout).toSatisfy(() => ran.stdout.startsWith(isTaken ? "Usage:" : needed))
  }
})
