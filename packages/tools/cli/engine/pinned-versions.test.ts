import { readFileSync } from "node:fs"
import { join } from "node:path"

import { SemVer } from "semver"
import { expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"

import { root } from "../../base/root.ts"
import { isAcceptable, engineVersion, providerVersion } from "./engine-environment.ts"
import { engineTool } from "./engine.ts"

const Package = z.object({ dependencies: z.record(z.string(), z.string()) })

test.each(["package.json", "packages/tools/package.json"])(
  "engine and provider are pinned to the versions of their SDKs in %s",
  (path) => {
    const { dependencies } = Package.parse(JSON.parse(readFileSync(join(root, path), "utf8")))
    expect(dependencies["@pulumi/pulumi"]).toBe(engineVersion)
    expect(dependencies["@pulumi/cloudflare"]).toBe(providerVersion)
  },
)

test("the Go module builds the pinned version", () => {
  const module = readFileSync(join(engineTool.module, "go.mod"), "utf8")
  expect(module).toContain(`tool ${engineTool.package}\n`)
  for (const name of ["pkg", "sdk"]) {
    expect(module).toContain(`github.com/pulumi/pulumi/${name}/v3 v${engineVersion} `)
    const sums = readFileSync(join(engineTool.module, "go.sum"), "utf8")
    expect(sums).toContain(`github.com/pulumi/pulumi/${name}/v3 v${engineVersion} h1:`)
  }
})

test("Pulumi.yaml requires the pinned engine", () => {
  const project = z
    .object({ requiredPulumiVersion: z.string() })
    .parse(parse(readFileSync(join(root, "Pulumi.yaml"), "utf8")))
  expect(project.requiredPulumiVersion).toBe(`>=${engineVersion}`)
})

test.each([
  ["3.259.0", true],
  ["3.259.7", true],
  ["3.300.0", true],
  ["3.260.0-alpha.1", true],
  ["3.259.0-alpha.1", false],
  ["3.258.9", false],
  ["4.0.0", false],
])("an installed engine %s is acceptable: %s", (version, expected) => {
  expect(isAcceptable(new SemVer(version))).toBe(expected)
})
