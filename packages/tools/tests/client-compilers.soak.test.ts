import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { installPackage } from "./testing/installed-package.ts"

/** Each has read something of a declaration otherwise than the one before. */
const compilers = ["5.0.4", "5.4.5", "5.8.3", "6.0.3", "7.0.2"]
const available = compilers.filter((version) => isInRegistry(`typescript@${version}`))

function aliasOf(version: string) {
  return `typescript-${version}`
}

function isInRegistry(name: string) {
  try {
    execFileSync("npm", ["view", "--prefer-offline", name, "version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const project = await installPackage({
  folder: "client",
  beside: available.map((version) => `${aliasOf(version)}@npm:typescript@${version}`),
})
afterAll(() => project[Symbol.dispose]())

test.for(
  compilers.flatMap((version) =>
    ["nodenext", "bundler"].map((resolution) => ({ version, resolution })),
  ),
)(
  "the packed client's types are right, and refuse what is wrong, by TypeScript $version with $resolution [TypeScript versions]",
  async ({ version, resolution }, { skip }) => {
    if (!available.includes(version)) skip("the registry does not have it")
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      types: [],
      module: resolution === "bundler" ? "esnext" : resolution,
      moduleResolution: resolution,
    }
    const file = join(project.directory, "tsconfig.json")
    writeFileSync(file, JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const tsc = join(project.directory, "node_modules", aliasOf(version), "bin/tsc")
    const output = await project.run(process.execPath, tsc).then(
      () => "",
      (error: unknown) => (error instanceof Error ? Reflect.get(error, "stdout") : error),
    )
    expect(output).toBe("")
    const { stdout } = await project.run(process.execPath, tsc, "--version")
    expect(stdout).toContain(version)
  },
)
