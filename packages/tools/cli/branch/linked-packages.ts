import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"

/** The scope of the project's own packages, which npm links to their folders. */
const own = "@accounts-stack"

/** Gives another checkout what is installed in this one; the project's own packages are those that lie there. */
export function linkPackages(from: string, to: string): void {
  const [installed, linked] = [join(from, "node_modules"), join(to, "node_modules")]
  mkdirSync(linked)
  for (const name of readdirSync(installed).filter((one) => one !== own)) {
    symlinkSync(join(installed, name), join(linked, name))
  }
  cpSync(join(installed, own), join(linked, own), { recursive: true, verbatimSymlinks: true })
}
