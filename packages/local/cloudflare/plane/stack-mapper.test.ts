import { ModuleKind, ScriptTarget, transpileModule } from "typescript"
import { expect, test } from "vitest"

import { createStackMapper } from "./stack-mapper.ts"
import { module, openTestPlane, serveVersion, until, versionSpec } from "./testing/test-plane.ts"

const source = `type Wanted = { missing: string }

interface Unused {
  a: number
}

function broken(wanted: Wanted): number {
  return wanted.missing.length
}

export default {
  fetch(request: Request & Wanted): Response {
    return new Response(String(broken(request)))
  },
}
`

test("stacks of uncaught errors name the sources where a source map was uploaded", async () => {
  const { outputText, sourceMapText = "" } = transpileModule(source, {
    fileName: "broken.ts",
    compilerOptions: {
      sourceMap: true,
      target: ScriptTarget.ESNext,
      module: ModuleKind.ESNext,
      removeComments: true,
    },
  })
  await using plane = await openTestPlane()
  const version = versionSpec({
    modules: [
      module("worker.js", outputText),
      module("worker.js.map", sourceMapText, "application/source-map"),
    ],
  })
  await plane.start(version)
  await using site = await serveVersion(plane, version.id)
  expect((await site.fetch("/")).status).toBe(500)
  await until(() => plane.log.some((line) => line.includes("Uncaught")))
  const line = plane.log.find((printed) => printed.includes("Uncaught"))
  expect(line).toMatch(/ at broken \(broken\.ts:8:\d+\)\n +at Object\.fetch \(broken\.ts:13:\d+\)/)
})

test("stacks that a script logs as JSON are mapped like its uncaught errors", () => {
  const map = {
    version: 3,
    sources: ["app/one.ts"],
    names: [],
    // Line 1, column 1 comes from line 3, column 1.
    mappings: "AAEA",
  }
  const toSources = createStackMapper([
    module("worker.js.map", JSON.stringify(map), "application/source-map"),
  ])
  const stack = ["at f (worker.js:1:1)", "at worker.js:1:1"]
  const mapped = ["at f (app/one.ts:3:1)", "at app/one.ts:3:1"]
  expect(toSources(JSON.stringify({ stack }))).toBe(JSON.stringify({ stack: mapped }))
  const text = JSON.stringify({ stack: stack.join("\n") })
  expect(toSources(text)).toBe(JSON.stringify({ stack: mapped.join("\n") }))
})

test("text without a source map, or with one that is broken, stays as it is", () => {
  const text = "Error: no\n    at f (worker.js:1:2)\n    at worker.js:3:4"
  expect(createStackMapper([])(text)).toBe(text)
  const broken = ["{}", "no JSON", '{"version":3,"sources":[],"mappings":"%"}']
  for (const content of broken) {
    const map = module("worker.js.map", content, "application/source-map")
    expect(createStackMapper([map])(text)).toBe(text)
  }
})
