import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { watchSources } from "../cli/start/source-watcher.ts"

/** Git deletes a file before it writes the other version: sometimes the watcher looks in between. */
test(
  "an edit of the stack file is noticed after git and an editor replaced the file",
  { timeout: 30_000 },
  async () => {
    await using directory = await temporaryDirectory()
    const environments = join(directory.path, "environments")
    const stackFile = join(environments, "Pulumi.local.yaml")
    mkdirSync(environments)
    cpSync(join(root, "environments/Pulumi.local.yaml"), stackFile)
    const git = (...args: string[]) => execFileSync("git", ["-C", directory.path, ...args])
    git("init", "--quiet")
    git("add", ".")
    git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--message", "x")
    const append = () => appendFileSync(stackFile, "# edited\n")
    let saved = 0
    const replace = () => execFileSync("sed", ["-i", `s/# .*/# ${++saved}/`, stackFile])
    const checkout = () => git("checkout", "--quiet", "--", ".")

    await using sources = await watchSources(stackFile)
    const changes = sources.changes()
    const remove = () => rmSync(stackFile)
    for (const edit of [append, replace, checkout, append, remove, checkout, append, replace]) {
      const noticed = changes.next()
      edit()
      const { value } = await noticed
      expect(value).toHaveLength(1)
    }
    const noticed = changes.next()
    appendFileSync(join(environments, "Pulumi.staging.yaml"), "# of another stack\n")
    append()
    expect((await noticed).value).toHaveLength(1)
  },
)
