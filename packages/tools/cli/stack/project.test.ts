import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"
import { parse } from "yaml"

import { root } from "../../base/root.ts"
import { generateProject } from "./project.ts"

const template = join(root, "environments", "Pulumi.local.yaml")

function stateDirectory() {
  const path = mkdtempSync(join(tmpdir(), "accounts-project-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("a generated project runs the checkout's program with other values, and does not change the template", () => {
  using state = stateDirectory()
  const before = readFileSync(template, "utf8")
  const overrides = {
    "cloudflare:baseUrl": "http://127.0.0.1:1234/client/v4",
    "accounts:apiOrigin": "http://localhost:4321",
  }
  const project = generateProject({ state: state.path, stack: "local", template, overrides })
  expect(parse(readFileSync(join(project.directory, "Pulumi.yaml"), "utf8"))).toMatchObject({
    main: join(root, "infra", "main.js"),
    plugins: { providers: [{ name: "accounts", path: join(root, "packages", "tools", "deploy") }] },
  })
  expect(parse(readFileSync(project.stackFile, "utf8"))).toMatchObject({ config: overrides })
  expect(readFileSync(template, "utf8")).toBe(before)
})

test("an invalid value is rejected before the engine sees it", () => {
  using state = stateDirectory()
  const overrides = { "accounts:apiOrigin": "http://example.com" }
  expect(() => generateProject({ state: state.path, stack: "local", template, overrides })).toThrow(
    /accounts:apiOrigin is not in the zone localhost/,
  )
})

test("the error names a missing template, and no project is created", () => {
  using state = stateDirectory()
  expect(() =>
    generateProject({
      state: state.path,
      stack: "x",
      template: "/nowhere/preview.yaml",
      overrides: {},
    }),
  ).toThrow(/\/nowhere\/preview\.yaml[\s\S]*does not exist/)
  expect(existsSync(join(state.path, "projects", "x", "Pulumi.x.yaml"))).toBe(false)
})
