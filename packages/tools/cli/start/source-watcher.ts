import { once } from "node:events"
import { basename, dirname, extname, join, relative, sep } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { watch } from "chokidar"

import { infraDirectory, migrationsDirectory, root } from "../../base/root.ts"
import { paint, say } from "../output.ts"

/** Wait after the last change (ms): editors write a file in several quick steps. */
const quietTime = 50

/** Commands are left out: they are not deployed. */
const tools = ["deploy", "environment"]

const folders = ["app", "packages/d1-migrations", ...tools.map((name) => `packages/tools/${name}`)]
  .map((name) => join(root, name))
  .concat(infraDirectory, migrationsDirectory)

export type Sources = AsyncDisposable & {
  /** Batches of changed paths, relative to the checkout. Each batch waits for a change. */
  changes(): AsyncGenerator<string[]>
}

/** Watches all sources of a deployment. Misses no change after it has resolved. */
export async function watchSources(stackFile: string): Promise<Sources> {
  const sources = [...folders, stackFile]
  // Watches the parent folders: otherwise a path that git removes and writes again would be lost.
  const watcher = watch([root, dirname(stackFile)], {
    ignoreInitial: true,
    ignored: (path) =>
      !sources.some((source) => isWithin(path, source) || isWithin(source, path)) ||
      isIgnored(relative(root, path)),
  })
  const changed = new Set<string>()
  let first = Promise.withResolvers<void>()
  let latest = 0
  watcher.on("all", (event, path) => {
    // A path without an extension is a folder, or a draft that an editor is about to rename.
    if (event.endsWith("Dir") || extname(path) === "") return
    changed.add(relative(root, path))
    latest = performance.now()
    first.resolve()
  })
  let failed = false
  watcher.on("error", (error) => {
    if (!failed) say(paint.yellow(`Some changes may be missed: ${String(error)}`))
    failed = true
  })
  await once(watcher, "ready")

  return {
    async *changes() {
      for (;;) {
        await first.promise
        first = Promise.withResolvers<void>()
        while (performance.now() - latest < quietTime) await sleep(quietTime)
        const paths = [...changed]
        changed.clear()
        if (paths.length > 0) yield paths
      }
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

/** Whether a path is a test, a dependency or an editor's draft. */
function isIgnored(path: string): boolean {
  return (
    /(?:^|\/)(?:node_modules|testing)(?:\/|$)/.test(path) ||
    /(?:\.test\.ts|~)$/.test(path) ||
    basename(path).startsWith(".")
  )
}
