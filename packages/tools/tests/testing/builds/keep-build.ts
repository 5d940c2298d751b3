import { createHash, randomUUID } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"

import type { Build, build } from "../../../deploy/build/build.ts"

type BuildOptions = Parameters<typeof build>[0]

/** Inputs of a build besides `node_modules`, which all checkouts of a run share. */
const sources = [
  "app",
  "infra",
  "package-lock.json",
  "package.json",
  "packages",
  "tsconfig.base.json",
  "tsconfig.json",
]

/**
 * `build`, which builds the same sources once for all checkouts of a test run: they are the same in nearly all
 * of its deployments, and building them takes a fifth of the processor time of these.
 * @param folder of what was built, by a hash of all that was read
 */
export function keepBuild(
  buildAnew: typeof build,
  { root, folder }: { root: string; folder: string },
): typeof build {
  return async (options) => {
    const place = () => join(folder, hashSources(root, options))
    const store = join(root, ".build", "files")
    const buildPlace = place()
    if (existsSync(buildPlace)) return takeOut(buildPlace, store)
    const built = await buildAnew(options)
    // A source may have been saved meanwhile.
    if (place() === buildPlace) putIn(buildPlace, { built, store })
    return built
  }
}

function hashSources(root: string, options: BuildOptions): string {
  const hash = createHash("sha256").update(JSON.stringify(options))
  const add = (path: string) => {
    const file = join(root, path)
    if (statSync(file).isFile()) {
      const content = readFileSync(file)
      hash.update(`${path}\0${content.length}\0`).update(content)
      return
    }
    const names = readdirSync(file).filter((name) => !isOfTests(name))
    for (const name of names.toSorted()) add(join(path, name))
  }
  for (const path of sources) add(path)
  return hash.digest("hex")
}

/** As copies of the checkout leave them out. */
function isOfTests(name: string): boolean {
  return name.endsWith(".test.ts") || ["golden", "node_modules", "testing", "tests"].includes(name)
}

const description = "build.json"

function putIn(folder: string, { built, store }: { built: Build; store: string }): void {
  const draft = `${folder}.${randomUUID()}`
  mkdirSync(draft, { recursive: true })
  for (const name of filesOf(built, store)) copyFileSync(join(store, name), join(draft, name))
  writeFileSync(join(draft, description), JSON.stringify(built))
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error
  }
}

/** Bundles, the modules that they list, and the source maps of these. */
function filesOf({ bundle, whole }: Build, store: string): string[] {
  const listed = [bundle, whole].flatMap((list) =>
    readFileSync(join(store, list), "utf8").split("\n").slice(0, -1),
  )
  const names = [bundle, whole, ...listed.map((line) => line.slice(0, 64))]
  const maps = names.map((name) => `${name}.map`).filter((name) => existsSync(join(store, name)))
  return [...new Set([...names, ...maps])]
}

/** Writes the files as a build does: each in one step, and source maps always. */
function takeOut(folder: string, store: string): Build {
  mkdirSync(store, { recursive: true })
  for (const name of readdirSync(folder)) {
    if (name === description) continue
    const file = join(store, name)
    if (existsSync(file) && !name.endsWith(".map")) continue
    copyFileSync(join(folder, name), `${file}.${process.pid}`)
    renameSync(`${file}.${process.pid}`, file)
  }
  return JSON.parse(readFileSync(join(folder, description), "utf8"))
}
