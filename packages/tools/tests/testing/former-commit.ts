import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"

import { root } from "../../base/root.ts"

function git(...args: string[]) {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" })
}

/** Whether Git has it here: a clone may have no history. */
export function hasCommit(revision: string): boolean {
  return git("cat-file", "-e", `${revision}^{commit}`).status === 0
}

/** The newest commit that lacks a file, or what Git finds none by. */
export function commitBefore(path: string): string {
  const { stdout } = git("log", "--format=%H", "--diff-filter=A", "--", path)
  return `${stdout.trim().split("\n").at(-1)}^`
}

/** Writes the files of a commit to a directory, with the packages of this checkout. */
export function unpackCommit(revision: string, directory: string): void {
  const archive = execFileSync("git", ["archive", revision], { cwd: root, maxBuffer: 2 ** 30 })
  execFileSync("tar", ["-x", "-C", directory], { input: archive })
  const [installed, modules] = [join(root, "node_modules"), join(directory, "node_modules")]
  const manifest = (folder: string) =>
    JSON.parse(readFileSync(join(directory, folder, "package.json"), "utf8"))
  // Its own packages, by the names that they had.
  for (const folder of globSync(manifest("").workspaces, { cwd: directory })) {
    const link = join(modules, manifest(folder).name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(directory, folder), link)
  }
  for (const name of readdirSync(installed).filter((entry) => !existsSync(join(modules, entry)))) {
    symlinkSync(join(installed, name), join(modules, name))
  }
}
