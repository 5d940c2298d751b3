import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import ts from "typescript"
import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"

/** Unclaimed on npm until this project registers it (docs/decisions/036-packages-and-imports.md). */
const scope = "@accounts-stack"

const Names = z.record(z.string(), z.unknown()).default({})
const Manifest = z.object({
  name: z.string(),
  private: z.boolean().optional(),
  workspaces: z.array(z.string()).default([]),
  dependencies: Names,
  devDependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
})

function read(path: string) {
  return readFileSync(join(root, path), "utf8")
}
function readManifest(path: string) {
  return Manifest.parse(JSON.parse(read(path)))
}

const folders = globSync(readManifest("package.json").workspaces, { cwd: root })
const workspaces = folders.map((folder) => readManifest(`${folder}/package.json`))
const ours = new Set(workspaces.map(({ name }) => name))

/** Whether a registry would give another owner's code for it. */
function isUnclaimed(specifier: string) {
  const [first = "", second] = specifier.split("/")
  if (first === "@accounts" || first === "accounts") return true
  return first === scope && !ours.has(`${first}/${second}`)
}

function importsOf(code: string) {
  const imported = ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => fileName)
  const resolved = code.matchAll(/\bresolve\(\s*["'`]([^"'`]+)/g)
  return [...imported, ...[...resolved].map(([, specifier = ""]) => specifier)]
}

const installing =
  /\b(?:(?:npm|pnpm|yarn|bun) +(?:install|i|add|exec|dlx|x)|npx|pnpx|bunx)((?: +[^\s`'"&|;#)]+)+)/g

/** Packages that a command in a text installs or runs by their names. */
function installsOf(text: string) {
  return [...text.matchAll(installing)].flatMap(([, rest = ""]) =>
    rest.split(/ +/).map((word) => word.replace(/(?<=.)@.*/, "")),
  )
}

function problemsOf(path: string, text: string) {
  const isCode = /\.[cm]?[jt]sx?$/.test(path)
  const blocks = path.endsWith(".md") ? text.matchAll(/^```(?:[jt]sx?)\n(.*?)^```/gms) : []
  const code = isCode ? [text] : [...blocks].map(([, block = ""]) => block)
  const imports = code.flatMap(importsOf).filter(isUnclaimed)
  const installs = installsOf(text).filter(
    (name) => isUnclaimed(name) || name.startsWith(`${scope}/`),
  )
  const depended = path.endsWith("package.json") ? dependenciesOf(text).filter(isUnclaimed) : []
  return [
    ...imports.map((name) => `${path} imports ${name}`),
    ...installs.map((name) => `${path} installs ${name}`),
    ...depended.map((name) => `${path} depends on ${name}`),
  ]
}

function dependenciesOf(manifest: string) {
  const { data } = Manifest.partial({ name: true }).safeParse(JSON.parse(manifest))
  if (data === undefined) return []
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = data
  return [dependencies, devDependencies, optionalDependencies, peerDependencies].flatMap(
    Object.keys,
  )
}

const Lock = z.object({
  packages: z.record(z.string(), z.object({ link: z.boolean().optional() })),
})

/** Packages with a name of ours that a lock file takes from elsewhere than this repository. */
function lockProblems(lock: string) {
  return Object.entries(Lock.parse(JSON.parse(lock)).packages).flatMap(([path, { link }]) => {
    const name = /^.*node_modules\/(.*)$/.exec(path)?.[1] ?? ""
    const isWrong = isUnclaimed(name) || (name.startsWith(`${scope}/`) && link !== true)
    return isWrong ? [path] : []
  })
}

test("every package name of this project is a workspace of this repository, and no page tells readers to install it by name", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  const text = /(?:\.(?:[cm]?[jt]sx?|md|json|ya?ml|sh|html|txt)|\/[^.]+)$/
  const files = tracked.split("\0").filter((path) => text.test(path) && !path.endsWith("lock.json"))
  expect(files.length).toBeGreaterThan(1000)
  const thisFile = "packages/tools/tests/own-names.test.ts"
  expect(
    files.filter((path) => path !== thisFile).flatMap((path) => problemsOf(path, read(path))),
  ).toEqual([])
  expect(lockProblems(read("package-lock.json"))).toEqual([])
})

test("every package is private and in the scope, as long as the scope is unclaimed", () => {
  expect(workspaces.filter((workspace) => workspace.private !== true)).toEqual([])
  expect([...ours].filter((name) => !name.startsWith(`${scope}/`))).toEqual([])
})

test.each([
  ["a.ts", 'import { one } from "@accounts/client"'],
  ["a.ts", 'export * from "@accounts/client/more"'],
  ["a.ts", 'import type { One } from "@accounts/client"'],
  ["a.ts", 'const one = await import("@accounts-stack/nothing")'],
  ["a.js", 'const one = require("accounts")'],
  ["a.ts", 'import.meta.resolve("@accounts/local/provider")'],
  ["a.md", '```ts\nimport { one } from "@accounts/client"\n```\n'],
  ["a.md", "Type `npm install --save-dev @accounts/client@1.0.0`."],
  ["a.md", "npm i accounts"],
  ["a.md", "pnpm add zod @accounts-stack/client"],
  ["a.ts", "throw new Error(`run npx accounts status`)"],
  ["a/package.json", '{ "devDependencies": { "@accounts/client": "1.0.0" } }'],
])("%s with %j is refused", (path, text) => {
  expect(problemsOf(path, text)).toHaveLength(1)
})

test("a lock file that takes a name of ours from a registry is refused", () => {
  const lock = (path: string, entry: object) => JSON.stringify({ packages: { [path]: entry } })
  const [local = ""] = ours
  expect(lockProblems(lock(`node_modules/${local}`, { link: true }))).toEqual([])
  expect(lockProblems(lock(`node_modules/${local}`, { version: "1.0.0" }))).toHaveLength(1)
  expect(lockProblems(lock("node_modules/a/node_modules/@accounts/client", {}))).toHaveLength(1)
})
