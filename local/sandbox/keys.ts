import { createHash, timingSafeEqual } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"

import type * as z from "zod"

import { writeAtomically } from "../daemon/file.ts"

/**
 * What the service and an end agree on. The stack makes it; whoever deploys the stack tells the end,
 * which keeps it in a file for its owner alone.
 */
export function openKeys<Shape extends z.ZodType>(file: string, Keys: Shape) {
  let known = existsSync(file)
    ? Keys.safeParse(JSON.parse(readFileSync(file, "utf8"))).data
    : undefined
  return {
    current: (): z.infer<Shape> | undefined => known,
    take(keys: z.infer<Shape>) {
      writeAtomically(file, JSON.stringify(keys))
      known = keys
    },
  }
}

/** Whether a request carries the key as its bearer token. */
export function carries(authorization: string | undefined, key: string | undefined): boolean {
  if (authorization === undefined || key === undefined) return false
  return timingSafeEqual(digest(authorization), digest(`Bearer ${key}`))
}

/** Equal lengths are what `timingSafeEqual` asks for. */
function digest(value: string) {
  return createHash("sha256").update(value).digest()
}
