import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { checkOutInto, openBase, readBaseCommit } from "./base-commit.ts"

/** A repository whose branch `change` begins at the second commit of `main`. */
function createRepository() {
  const parent = mkdtempSync(join(tmpdir(), "accounts-base-test-"))
  const root = join(parent, "origin")
  mkdirSync(join(root, "migrations"), { recursive: true })
  const git = (...args: string[]) => {
    const author = ["-c", "user.name=A", "-c", "user.email=a@acme.com"]
    return execFileSync("git", [...author, ...args], { cwd: root, encoding: "utf8" }).trim()
  }
  const write = (name: string, sql: string) => writeFileSync(join(root, "migrations", name), sql)
  const commit = (message: string) => {
    git("add", "--all")
    git("commit", "--quiet", "--message", message)
    return git("rev-parse", "HEAD")
  }
  git("init", "--quiet", "--initial-branch=main")
  write("0000_a.sql", "CREATE TABLE a (id TEXT);\n")
  commit("First")
  write("notes.md", "not a migration\n")
  const sha = commit("Second")
  git("switch", "--quiet", "--create", "change")
  return {
    parent,
    root,
    git,
    write,
    commit,
    sha,
    [Symbol.dispose]: () => rmSync(parent, { recursive: true }),
  }
}

test("the base is what git has, whatever lies in the work tree and on the branch", () => {
  using repository = createRepository()
  const { root, write, commit, sha, git } = repository
  write("0001_b.sql", "CREATE TABLE b (id TEXT);\n")
  commit("Of the branch")
  write("0000_a.sql", "edited, and not committed")
  const { migrations, ...base } = readBaseCommit(root, "main")
  expect(base).toEqual({ sha })
  expect(migrations).toMatchObject([{ name: "0000_a.sql", sql: "CREATE TABLE a (id TEXT);\n" }])

  const before = git("status", "--porcelain")
  const directory = join(repository.parent, "checkout")
  checkOutInto(root, sha, directory)
  expect(readFileSync(join(directory, "migrations/0000_a.sql"), "utf8")).toContain("CREATE TABLE a")
  expect(git("status", "--porcelain")).toBe(before)
})

test("a base that is not in the clone is one error that says what to fetch", () => {
  using repository = createRepository()
  const { parent, root, commit, write } = repository
  expect(() => readBaseCommit(root, "nowhere")).toThrow(
    "nowhere is no commit of this clone: fetch it (git fetch origin), or name another commit with --from, such as origin/main.",
  )
  expect(() => openBase(root, "nowhere", "--base")).toThrow("another commit with --base, such as")
  expect(() => readBaseCommit(parent, "main")).toThrow(/is no git repository/)

  write("0001_b.sql", "CREATE TABLE b (id TEXT);\n")
  commit("Of the branch")
  const shallow = join(parent, "shallow")
  const clone = [
    "clone",
    "--quiet",
    "--depth",
    "1",
    "--branch",
    "change",
    `file://${root}`,
    shallow,
  ]
  execFileSync("git", clone)
  expect(() => readBaseCommit(shallow, "origin/main")).toThrow(
    /this clone is shallow.*git fetch --unshallow origin, or fetch-depth: 0/,
  )
})

test("a file that a damaged clone lacks is one error, and not read as empty", () => {
  using repository = createRepository()
  const { root, git } = repository
  const id = git("rev-parse", "HEAD:migrations/0000_a.sql")
  rmSync(join(root, ".git/objects", id.slice(0, 2), id.slice(2)))
  expect(() => readBaseCommit(root, "main")).toThrow(
    /this clone lacks migrations\/0000_a\.sql of commit .*Clone it again\.$/,
  )
})
