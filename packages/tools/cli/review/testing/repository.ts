import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { afterAll } from "vitest"

import { renderEnvironments } from "../../../environment/effective/rendered.ts"
import { createEnvironments } from "../../../environment/testing/environments-folder.ts"
import { bundlePage, description, lock, routes } from "./contract.ts"

export const firstMigration = "CREATE TABLE member (id TEXT PRIMARY KEY, name TEXT NOT NULL);\n"

/** Its branch begins at `main`. Copied by each test, since git takes as long as what is tested. */
const template = mkdtempSync(join(tmpdir(), "accounts-review-"))
afterAll(() => rmSync(template, { recursive: true, force: true }))
await prepare()

async function prepare() {
  using folder = createEnvironments()
  cpSync(folder.directory, join(template, "environments"), { recursive: true })
  writeIn(template, "migrations/0000_member.sql", firstMigration)
  writeIn(template, "docs/bundle.md", bundlePage(600))
  writeIn(template, "docs/routes.json", JSON.stringify(routes))
  writeIn(template, "app/service/openapi/openapi.json", JSON.stringify(description()))
  writeIn(template, "package-lock.json", JSON.stringify(lock("4.13.19")))
  git(template, "init", "--quiet", "--initial-branch=main", "--template=")
  await render(template)
  commitAll(template, "Start")
  git(template, "switch", "--quiet", "--create", "change")
}

function writeIn(root: string, path: string, text: string) {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function git(root: string, ...args: string[]) {
  const author = ["-c", "user.name=A", "-c", "user.email=a@acme.com"]
  execFileSync("git", [...author, ...args], { cwd: root })
}

async function render(root: string) {
  const folders = [join(root, "environments"), join(root, "migrations")] as const
  for (const { path, text } of await renderEnvironments(...folders)) {
    if (text !== undefined) writeFileSync(path, text)
  }
}

function commitAll(root: string, message: string, ...flags: string[]) {
  git(root, "add", "--all")
  git(root, "-c", "maintenance.auto=false", "commit", "--quiet", "--message", message, ...flags)
}

/** A repository with a branch that begins at `main`. It reads what is committed there from the template. */
export function createRepository() {
  const root = mkdtempSync(join(tmpdir(), "accounts-review-"))
  const objects = ".git/objects"
  cpSync(template, root, { recursive: true, filter: (path) => !/objects\/[0-9a-f]{2}$/.test(path) })
  writeFileSync(join(root, objects, "info/alternates"), `${join(template, objects)}\n`)
  return {
    root,
    write: (path: string, text: string) => writeIn(root, path, text),
    writeJson: (path: string, value: object) => writeIn(root, path, JSON.stringify(value)),
    /** Whatever its environments say, rendered. */
    commit: async () => {
      await render(root)
      commitAll(root, "Change")
    },
    /** Commits all files as the base of the branch. */
    begin: () => {
      commitAll(root, "Begin", "--allow-empty")
      git(root, "branch", "--force", "main")
    },
    edit: (change: (text: string) => string, file = "Pulumi.production.yaml") => {
      const path = join(root, "environments", file)
      writeFileSync(path, change(readFileSync(path, "utf8")))
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

export type Repository = ReturnType<typeof createRepository>
