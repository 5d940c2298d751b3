import { readFileSync } from "node:fs"

import { expect, test } from "vitest"
import * as z from "zod"

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
})

test("the lock file has the binaries of every system, so that npm ci accepts it everywhere", () => {
  const text = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")
  const { packages } = Lock.parse(JSON.parse(text))
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter((name) => {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
      return !places.some((place) => packages[place]?.version)
    }),
  )
  expect(missing).toEqual([])
})
