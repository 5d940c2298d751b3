import { createRequire } from "node:module"

import type * as Package from "miniflare"
import * as z from "zod"

import { withOwnConfig } from "./config-buffer.ts"
import { leanConfig } from "./lean-config.ts"

/**
 * `import` would parse all of Miniflare's six megabytes on every start, to find out that they are
 * CommonJS; `require` takes the compile cache.
 */
const miniflare: typeof Package = withOwnConfig(() => createRequire(import.meta.url)("miniflare"))
Object.assign(miniflare, { leanConfig })

/** Miniflare's own copy of workerd. */
const workerd = z
  .object({ compatibilityDate: z.iso.date() })
  .parse(createRequire(import.meta.resolve("miniflare"))("workerd"))

/** The newest that this workerd knows. */
export const newestCompatibilityDate = workerd.compatibilityDate

export const { Log, LogLevel, Miniflare, PLUGINS, Response } = miniflare
