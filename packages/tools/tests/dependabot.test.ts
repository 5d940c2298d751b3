import { globSync, readFileSync } from "node:fs"
import { matchesGlob } from "node:path"
import { join } from "node:path"

import { expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"

import { root } from "../base/root.ts"

const Updates = z.object({
  updates: z.array(
    z.object({
      "package-ecosystem": z.string(),
      groups: z.record(z.string(), z.object({ patterns: z.array(z.string()) })),
    }),
  ),
})

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
})

test("packages that belong together are updated by one pull request, and so are all actions", () => {
  const file = readFileSync(join(root, ".github/dependabot.yml"), "utf8")
  const { updates } = Updates.parse(parse(file))
  expect(updates.map((update) => update["package-ecosystem"])).toEqual(["npm", "github-actions"])
  const [npm, actions] = updates
  expect(actions?.groups["actions"]?.patterns).toEqual(["*"])
  const manifests = globSync(["package.json", "packages/*/package.json"], { cwd: root })
  const names = manifests.flatMap((path) => {
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(root, path), "utf8")))
    return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  })
  const groupOf = (name: string) =>
    Object.entries(npm?.groups ?? {})
      .filter(([, { patterns }]) => patterns.some((pattern) => matchesGlob(name, pattern)))
      .map(([group]) => group)
  for (const { packages, group } of [
    { packages: ["wrangler", "miniflare", "@cloudflare/vitest-plugin"], group: "cloudflare" },
    { packages: names.filter((name) => name.startsWith("@orpc/")), group: "orpc" },
    { packages: names.filter((name) => name.startsWith("@pulumi/")), group: "pulumi" },
  ]) {
    expect(packages.length).toBeGreaterThan(1)
    for (const name of packages) {
      expect(names).toContain(name)
      expect(groupOf(name)).toEqual([group])
    }
  }
})
