import { once } from "node:events"
import { basename, extname, join, relative } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { watch } from "chokidar"

import { infraDirectory, migrationsDirectory, root } from "../../root.ts"
import { paint, say } from "../output.ts"

/** Milliseconds of quiet after the last change: editors write a file in several steps. */
const quietTime = 150

const folders = [join(root, "app"), infraDirectory, join(root, "provider"), migrationsDirectory]

export type Sources = AsyncDisposable & {
  /** Paths that changed since the last turn, relative to the checkout; each turn waits for the first. */
  changes(): AsyncGenerator<string[]>
}

/** Watches what a deployment is made from. Every change after this has settled is noticed. */
export async function watchSources(stackFile: string): Promise<Sources> {
  const watcher = watch([...folders, stackFile], {
    ignoreInitial: true,
    ignored: (path) => isBeside(relative(root, path)),
  })
  const changed = new Set<string>()
  let first = Promise.withResolvers<void>()
  let latest = 0
  watcher.on("all", (event, path) => {
    // Without an extension it is a folder, or a draft that an editor renames in a moment.
    if (event.endsWith("Dir") || extname(path) === "") return
    changed.add(relative(root, path))
    latest = performance.now()
    first.resolve()
  })
  let failed = false
  watcher.on("error", (error) => {
    if (!failed) say(paint.yellow(`Not every change will be noticed: ${String(error)}`))
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

/** What lies beside the sources: tests, dependencies, an editor's drafts. */
function isBeside(path: string): boolean {
  return (
    /(?:^|\/)(?:node_modules|testing)(?:\/|$)/.test(path) ||
    /(?:\.test\.ts|~)$/.test(path) ||
    basename(path).startsWith(".")
  )
}
