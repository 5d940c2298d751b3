import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  scripts: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
})

function manifest(path: string) {
  return Manifest.parse(JSON.parse(readFileSync(join(root, path), "utf8")))
}

test("git leaves out what `npm pack` writes for any package", () => {
  const packed = globSync("packages/*/package.json", { cwd: root }).map((path) => {
    const { name, version } = manifest(path)
    return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
  })
  expect(packed.length).toBeGreaterThan(3)
  const input = packed.flatMap((file) => [file, `packages/client/${file}`]).join("\n")
  const ignored = execFileSync("git", ["check-ignore", "--no-index", "--stdin"], {
    cwd: root,
    input,
    encoding: "utf8",
  })
  expect(ignored.trim().split("\n")).toEqual(input.split("\n"))
})

test("npm install ends with a word on which Node the project runs, since npm warns of another", () => {
  const { scripts, devDependencies } = manifest("package.json")
  const [program, file = ""] = scripts["postinstall"]?.split(" ") ?? []
  expect(program).toBe("node")
  const output = execFileSync(process.execPath, [file], { cwd: root, encoding: "utf8" })
  expect(output).toContain(`its own Node ${devDependencies["node"]}`)
  expect(output).toContain("EBADENGINE")
})
