import { execFile, execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import { root } from "../../base/root.ts"
import { type CheckoutOptions, copyCheckout } from "./checkout.ts"
import { commit } from "./commit.ts"

/** The commands below a heading of a page, as a reader copies them. */
export function readRecipe(page: string, heading: string): string {
  const text = readFileSync(join(root, page), "utf8")
  const [, section = ""] = text.split(`\n## ${heading}\n`)
  const [, commands] = /^```sh\n([^]*?)^```$/m.exec(section.split("\n## ")[0] ?? "") ?? []
  if (commands === undefined) throw new Error(`${page} shows no commands below "${heading}"`)
  return commands
}

/** The whole working tree in a repository of its own, with what is installed here. */
export function copyWorkingTree(options?: CheckoutOptions) {
  const checkout = copyCheckout(options)
  const { directory } = checkout
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const paths = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0")
  for (const path of paths.filter(Boolean)) {
    const to = join(directory, path)
    // An existing file may be a link to what other copies share.
    rmSync(to, { recursive: true, force: true })
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(join(root, path), to)
  }
  // The cache beside the packages belongs to the original.
  rmSync(join(directory, "node_modules/.vite"), { force: true })
  commit(directory, "Copy the working tree")
  /** @throws Error with what a command said that failed */
  const follow = async (commands: string) => {
    const { stdout, stderr } = await promisify(execFile)(
      "bash",
      ["-euo", "pipefail", "-c", commands],
      {
        cwd: directory,
        env: {
          ...process.env,
          PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
          NO_COLOR: "1",
        },
        maxBuffer: 64_000_000,
      },
    )
    return stdout + stderr
  }
  return { ...checkout, follow }
}
