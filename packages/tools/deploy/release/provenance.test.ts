import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { createMigrationFolder } from "../testing/migration-folder.ts"
import { currentCommit, cutMessage, releaseMessage } from "./provenance.ts"

const actions = {
  GITHUB_SHA: "0123456789abcdef",
  GITHUB_ACTOR: "ada",
  GITHUB_REF: "refs/pull/12/merge",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "example/accounts",
  GITHUB_RUN_ID: "34",
}

test("a deployment's message names commit, author, pull request and run", async () => {
  expect(await releaseMessage(actions)).toBe(
    "0123456789ab by ada, pull request 12, https://github.com/example/accounts/actions/runs/34",
  )
})

test("a commit is named with the changes that it lacks; files that git does not know are none", async () => {
  await using folder = await createMigrationFolder({ "0000_a.sql": "SELECT 1;" })
  const { directory, write } = folder
  const author = ["-c", "user.name=A", "-c", "user.email=a@acme.com"]
  const git = (...args: string[]) =>
    execFileSync("git", [...author, ...args], { cwd: directory, encoding: "utf8" })
  git("init", "--quiet", "--initial-branch=main")
  git("add", "--all")
  expect(await currentCommit({}, directory)).toBe("no commit")
  git("commit", "--quiet", "--message", "First")
  const head = git("rev-parse", "--short=12", "HEAD").trim()
  expect(await currentCommit({}, directory)).toBe(head)
  await write("notes.md", "unknown to git")
  expect(await currentCommit({}, directory)).toBe(head)
  await write("0000_a.sql", "SELECT 2;")
  expect(await currentCommit({}, directory)).toBe(`${head} with local changes`)
  rmSync(join(directory, ".git"), { recursive: true })
  expect(await currentCommit({}, directory)).toBe("no commit")
})

test("in a workflow, what is checked out is named, and not what started it", async () => {
  const started = { GITHUB_ACTIONS: "true", GITHUB_SHA: "0123456789abcdef" }
  expect(await currentCommit(started)).toBe(await currentCommit({}))
  using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-no-git-"))
  expect(await currentCommit(started, folder.path)).toBe("0123456789ab")
})

test("a user without an entry in the password file can release", async () => {
  const readUser = () => {
    throw new Error("ENOENT: no such file or directory, uv_os_get_passwd")
  }
  expect(await releaseMessage({ GITHUB_SHA: "abc" }, readUser)).toBe("abc by unknown")
})

test("a variable that is empty, as a job may set it, names nobody", async () => {
  const readUser = () => ({ username: "ada" })
  const empty = { GITHUB_ACTOR: "", USER: "" }
  expect(await releaseMessage({ GITHUB_SHA: "abc", ...empty }, readUser)).toBe("abc by ada")
  const ours = await currentCommit({})
  expect(await releaseMessage({ GITHUB_SHA: "", USER: "bob" })).toBe(`${ours} by bob`)
})

test("a message has at most 900 bytes and ends with a whole character", () => {
  const long = cutMessage("é".repeat(600))
  expect(Buffer.byteLength(long)).toBe(900)
  expect(long).toBe("é".repeat(450))
  expect(cutMessage(`a${"é".repeat(600)}`)).toBe(`a${"é".repeat(449)}`)
  expect(cutMessage(`ab${"😀".repeat(300)}`)).toBe(`ab${"😀".repeat(224)}`)
  expect(cutMessage("short")).toBe("short")
})
