import { join, relative } from "node:path"

import { watch } from "chokidar"

import { migrationsDirectory, root } from "../root.ts"
import { paint, say } from "./output.ts"

/** Milliseconds of quiet after the last change: editors write a file in several steps. */
const QUIET = 150

/** Calls `redeploy` after changes, one run at a time; changes during a run lead to one more. Ends with the signal. */
export async function watchSources(options: {
  stackFile: string
  signal: AbortSignal
  redeploy: () => Promise<void>
}): Promise<void> {
  const { stackFile, signal, redeploy } = options
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const watcher = watch([join(root, "app"), migrationsDirectory, stackFile], {
    ignoreInitial: true,
    ignored: (path) => path.includes("node_modules") || path.endsWith(".test.ts"),
  })
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let running = false

  const run = async () => {
    if (running || signal.aborted) return
    running = true
    while (changed.size > 0) {
      const [first = "", ...others] = [...changed].map((path) => relative(root, path))
      changed = new Set()
      say(
        `${paint.cyan("↻")} ${first}${others.length > 0 ? ` and ${others.length} more` : ""} changed`,
      )
      await redeploy()
    }
    running = false
  }

  watcher.on("all", (_event, path) => {
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(() => void run().catch(reject), QUIET)
  })
  watcher.on("error", reject)
  signal.addEventListener("abort", () => resolve(), { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    await watcher.close()
  }
}
