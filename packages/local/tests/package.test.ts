import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

const Versions = z.record(z.string(), z.string()).default({})
const Package = z.object({ dependencies: Versions, devDependencies: Versions })

async function versionsOf(file: string) {
  const text = await readFile(join(import.meta.dirname, file), "utf8")
  const { dependencies, devDependencies } = Package.parse(JSON.parse(text))
  return { ...dependencies, ...devDependencies }
}

test("this package and the root have the same version of every package that both use", async () => {
  const ownVersions = await versionsOf("../package.json")
  const root = await versionsOf("../../../package.json")
  const shared = Object.keys(ownVersions).filter((name) => name in root)
  expect(shared).toContain("wrangler")
  const pick = (versions: Record<string, string>) =>
    Object.fromEntries(shared.map((name) => [name, versions[name]]))
  expect(pick(ownVersions)).toEqual(pick(root))
})

test("every dependency has an exact version", async () => {
  const versions = Object.values(await versionsOf("../package.json"))
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
})
