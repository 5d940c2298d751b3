import { watch } from "node:fs"
import { join } from "node:path"

/** Counts the builds of a checkout that was built before: each of them writes every source map once. */
export function watchBuilds(directory: string) {
  const written: string[] = []
  const watcher = watch(join(directory, ".build/files"), (_event, name) => {
    if (name?.endsWith(".map")) written.push(name)
  })
  return {
    count: () => written.length / new Set(written).size,
    [Symbol.dispose]: () => watcher.close(),
  }
}
