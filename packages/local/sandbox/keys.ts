import { existsSync, readFileSync } from "node:fs"

import type * as z from "zod"

import { writeAtomically } from "../daemon/atomic-write.ts"
import { equalSecrets } from "../daemon/token.ts"

/**
 * The keys that the service and a sandbox share. The stack generates them, the program that deploys
 * the stack hands them over, and the sandbox keeps them in `file`.
 */
export function openKeys<Shape extends z.ZodType>(file: string, Keys: Shape) {
  let current = existsSync(file)
    ? Keys.safeParse(JSON.parse(readFileSync(file, "utf8"))).data
    : undefined
  return {
    current: (): z.infer<Shape> | undefined => current,
    replace(keys: z.infer<Shape>) {
      writeAtomically(file, JSON.stringify(keys))
      current = keys
    },
  }
}

/** Whether a request sends the key as its bearer token. */
export function hasKey(authorization: string | undefined, key: string | undefined): boolean {
  if (authorization === undefined || key === undefined) return false
  return equalSecrets(authorization, `Bearer ${key}`)
}
