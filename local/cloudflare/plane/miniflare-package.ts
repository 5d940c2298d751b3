import { createRequire } from "node:module"

import type * as Package from "miniflare"

/**
 * `import` would parse all of Miniflare's six megabytes on every start, to find out that they are
 * CommonJS; `require` takes the compile cache.
 */
const miniflare: typeof Package = createRequire(import.meta.url)("miniflare")

export const { Log, LogLevel, Miniflare, PLUGINS, Response } = miniflare
