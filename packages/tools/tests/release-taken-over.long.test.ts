import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { commit, git } from "./testing/commit.ts"
import { createPrograms } from "./testing/programs.ts"
import { copyWorkingTree, readRecipe } from "./testing/recipe.ts"

test(
  "a release comes into a copy with migrations of its own by the commands of CHANGELOG.md",
  { timeout: 1_800_000 },
  async () => {
    // They need the network, or test and check what is tested and checked already.
    const skipped = `case "$*" in install | test | "run check") exit 0 ;; esac`
    using programs = createPrograms({ npm: `${skipped}\nPATH="\${PATH#*:}" exec npm "$@"` })
    await using copy = copyWorkingTree()
    const { directory } = copy
    const sql = () =>
      readdirSync(join(directory, "migrations")).filter((name) => name.endsWith(".sql"))
    const read = (path: string) => readFileSync(join(directory, path), "utf8")
    const follow = (commands: string) =>
      copy.follow(`export GIT_EDITOR=true PATH=${programs.directory}:$PATH\n${commands}`)
    const addColumn = async (path: string, column: string) => {
      copy.edit(path, (text) =>
        text.replace(/id: text\("id".*,\n/, (id) => `${id}    ${column}: text("${column}"),\n`),
      )
      await follow(`npm run migration -- --name ${column} && ./accounts environment render`)
      commit(directory, `Add ${column}`)
    }
    git(directory, "switch", "--quiet", "--create", "upstream")
    await addColumn("app/service/platform/database/auth.table.ts", "theirs")
    git(directory, "tag", "v0.2.0")
    git(directory, "switch", "--quiet", "main")
    git(directory, "remote", "add", "upstream", directory)
    await addColumn("app/service/platform/audit/audit-entry.table.ts", "ours")
    const ours = sql()

    const [begin = "", merge = "", restore = "", ...rest] = readRecipe(
      "CHANGELOG.md",
      "Take a release over",
    ).split("\n")
    await follow(begin)
    await expect(follow(merge)).rejects.toMatchObject({
      stdout: expect.stringContaining("CONFLICT"),
    })
    await follow(restore)
    expect(sql()).toEqual(ours)
    const output = await follow(rest.join("\n"))

    const last = sql().at(-1) ?? ""
    expect(sql()).toEqual([...ours, last])
    expect(read(`migrations/${last}`)).toBe("ALTER TABLE `user` ADD `theirs` text;")
    expect(output).toMatch(new RegExp(`migrations: \`${last}\` \\(expand\\)`))
    expect(git(directory, "status", "--porcelain")).toBe("")
  },
)
