import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { commit, git } from "./testing/commit.ts"

const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8")

test("a release comes into a copy with migrations of its own as CHANGELOG.md says", async () => {
  await using copy = copyCheckout()
  const { directory } = copy
  const generate = (name: string) =>
    execFileSync(
      process.execPath,
      [join(root, "packages/tools/cli/database/generate-migration.ts"), "--name", name],
      { cwd: directory, stdio: "pipe" },
    )
  const sql = () =>
    readdirSync(join(directory, "migrations")).filter((name) => name.endsWith(".sql"))
  const read = (path: string) => readFileSync(join(directory, path), "utf8")
  const addColumn = async (path: string, column: string) => {
    copy.edit(path, (text) =>
      text.replace(/id: text\("id".*,\n/, (id) => `${id}    ${column}: text("${column}"),\n`),
    )
    generate(column)
    await copy.succeed("environment", "render")
    commit(directory, `Add ${column}`)
  }
  copy.write("drizzle.config.ts", readFileSync(join(root, "drizzle.config.ts"), "utf8"))
  commit(directory, "Write migrations here, too")
  git(directory, "switch", "--quiet", "--create", "upstream")
  await addColumn("app/service/auth/auth.table.ts", "theirs")
  git(directory, "switch", "--quiet", "main")
  await addColumn("app/service/admin/audit-entry.table.ts", "ours")
  const ours = sql()

  expect(() => git(directory, "merge", "upstream")).toThrow("git merge upstream")
  const [restore = ""] = /^git restore [\w -]+/m.exec(changelog) ?? []
  git(directory, ...restore.trim().split(" ").slice(1))
  expect(sql()).toEqual(ours)
  const [, name = ""] =
    /^npm install && npm run migration -- --name (\w+) && /m.exec(changelog) ?? []
  generate(name)
  await copy.succeed("environment", "render")
  commit(directory, "Merge the release")

  const last = sql().at(-1) ?? ""
  expect(sql()).toEqual([...ours, last])
  expect(read(`migrations/${last}`)).toBe("ALTER TABLE `user` ADD `theirs` text;")
  await copy.succeed("environment", "check")
})
