import { readFileSync } from "node:fs"

import { expect, test } from "vitest"
import * as z from "zod"

import { lockChanges } from "../cli/review/lock-changes.ts"

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
})

const text = readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8")

test("every package comes from npm's registry with its checksum, and those alone run scripts that may", () => {
  const { doubts, scripts } = lockChanges("{}", text)
  const ours = ["bench", "client", "d1-migrations", "local", "pulumi-host", "tools"]
  expect(doubts).toEqual(
    ours.map((name) => `node_modules/@accounts-stack/${name} is the folder packages/${name}`),
  )
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  )
  const { allowScripts } = z
    .object({ allowScripts: z.record(z.string(), z.boolean()) })
    .parse(manifest)
  const packageNames = scripts.map((path) => path.replace(/^.*node_modules\//, ""))
  expect(packageNames.filter((name) => !(name in allowScripts))).toEqual([])
})

test("the lock file has the binaries of every system, so that npm ci accepts it everywhere", () => {
  const { packages } = Lock.parse(JSON.parse(text))
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter((name) => {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
      return !places.some((place) => packages[place]?.version)
    }),
  )
  expect(missing).toEqual([])
})
