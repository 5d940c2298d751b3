// Registered before what it watches is loaded: `node --import`.
import { statSync } from "node:fs"
import module from "node:module"
import { sep } from "node:path"
import { fileURLToPath } from "node:url"

import { root } from "../../base/root.ts"

/** When each file of the checkout was last saved as this process was about to load it (ms). */
const loaded = new Map<string, number>()

module.registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const path = resolved.url.startsWith("file:") ? fileURLToPath(resolved.url) : ""
    const isOwn = path.startsWith(root + sep) && !path.includes(`${sep}node_modules${sep}`)
    if (isOwn && !loaded.has(path)) loaded.set(path, savedAt(path))
    return resolved
  },
})

/** Whether this process runs former versions of files: Node never loads a module again. */
export function isOutdated(): boolean {
  return [...loaded].some(([path, time]) => savedAt(path) !== time)
}

/** Zero for a file that is not there. */
function savedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
