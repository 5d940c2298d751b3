import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { build } from "esbuild"

import { bundling } from "../../app/service/build/bundle.ts"

const source = join(import.meta.dirname, "../peers")
const lock = readFileSync(join(source, "package-lock.json"))

/**
 * Installs the peers beside a copy of their Workers, once per lock file, outside the project.
 * @throws Error if npm cannot install exactly the locked versions
 */
export async function installPeers(): Promise<string> {
  const name = `accounts-bench-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`
  const directory = join(tmpdir(), name)
  if (!existsSync(directory)) {
    const draft = `${directory}.${process.pid}`
    mkdirSync(draft)
    try {
      for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
        cpSync(join(source, file), join(draft, file))
      }
      await promisify(execFile)("npm", ["ci", "--ignore-scripts"], { cwd: draft })
      renameSync(draft, directory)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  cpSync(source, directory, {
    recursive: true,
    filter: (path) => !/package(-lock)?\.json$/.test(path),
  })
  return directory
}

/** Bundles a peer with the options of the service's own Worker, except for what it leaves out. */
export async function bundlePeer(directory: string, entryPoint: string): Promise<string> {
  const { plugins: _plugins, ...options } = bundling
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: directory,
    entryPoints: [entryPoint],
    write: false,
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error(`esbuild wrote no module for ${entryPoint}`)
  return file.text
}
