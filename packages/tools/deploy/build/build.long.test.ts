import { execFile } from "node:child_process"
import { cpSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"

import { afterAll, expect, test } from "vitest"

import { copyCheckout } from "../../tests/testing/checkout.ts"
import { importFrom } from "../../tests/testing/import-from.ts"
import type { build } from "./build.ts"

const head = { migrationsHead: "0000_first.sql" }

const checkout = copyCheckout()
afterAll(() => checkout[Symbol.asyncDispose]())
const { build: rebuild }: { build: typeof build } = await importFrom(
  checkout,
  "deploy/build/build.ts",
)
const store: typeof import("../version/bundle-store.ts") = await importFrom(
  checkout,
  "deploy/version/bundle-store.ts",
)
const first = await rebuild(head)

test("another head of the migrations is another build", async () => {
  const { bundle, tables } = await rebuild({ migrationsHead: "0001_second.sql" })
  expect(bundle).not.toBe(first.bundle)
  expect(tables).toEqual(first.tables)
})

/** Texts by the names of modules, of what a hash stands for. */
function modulesOf(sha256: string) {
  return new Map(store.readBundle(sha256).map(({ name, content }) => [name, String(content)]))
}

test("the check of passkeys is a chunk, and each module of code has its source map", async () => {
  const modules = modulesOf(first.bundle)
  const code = [...modules.keys()].filter((name) => name.endsWith(".js"))
  const stems = new Set(code.map((name) => name.replace(/-[\da-f]{8}\.js$|\.js$/, "")))
  expect([...stems]).toEqual(expect.arrayContaining(["chunk", "web-authentication", "worker"]))
  const late = code.find((name) => name.startsWith("web-authentication")) ?? ""
  expect(modules.get("worker.js")).toContain(`import("./${late}")`)
  // Passkeys bring what weighs most.
  expect(code.filter((name) => modules.get(name)?.includes("webauthn.create"))).toEqual([late])
  const sourcesOf = (name: string) => Object(JSON.parse(modules.get(`${name}.map`) ?? "{}")).sources
  expect(sourcesOf(late)).toContainEqual(expect.stringMatching(/\/web-authentication\.ts$/))
  expect(sourcesOf("worker.js")).toContainEqual(expect.stringMatching(/^node_modules\/zod\//))
})

test("an edit of what is loaded late changes its name, which worker.js has, and no shared code", async () => {
  const file = "app/service/sign-in/passkey/web-authentication.ts"
  checkout.edit(file, (text) => `${text}\nReflect.set(globalThis, "edited", 1)\n`)
  const edited = await rebuild(head)
  const hashes = (build: typeof first) =>
    [...modulesOf(build.bundle).keys()].filter((name) => name.endsWith(".js"))
  const changed = hashes(edited).filter((name) => !hashes(first).includes(name))
  expect(changed).toEqual([expect.stringMatching(/^web-authentication-/)])
  checkout.edit(file, (text) => text.replace(/\nReflect.*\n/, ""))
  checkout.edit(file, (text) => `\n// A line more.\n${text}`)
  expect(await rebuild(head)).toEqual(first)
  checkout.edit(file, (text) => text.replace("\n// A line more.\n", ""))
})

test("the pages are a module of their own, and an edit of them leaves worker.js as it is", async () => {
  const [alone, whole] = [modulesOf(first.bundle), modulesOf(first.whole)]
  expect([...whole.keys()].filter((name) => !alone.has(name))).toEqual(["pages.js"])
  expect(whole.get("worker.js")).toBe(alone.get("worker.js"))
  expect(alone.get("worker.js")).toContain('import("./pages.js")')
  expect(alone.get("worker.js")).not.toContain("Forgot your password?")

  checkout.edit("app/pages/stylesheet.ts", (css) => css.replace(".55", ".56"))
  const edited = await rebuild(head)
  expect([edited.bundle, edited.whole === first.whole]).toEqual([first.bundle, false])
  checkout.edit("app/pages/stylesheet.ts", (css) => css.replace(".56", ".55"))
  expect(await rebuild(head)).toEqual(first)
})

test("a process that builds again sees an edit, also of what a module imports, and its undoing", async () => {
  const original = readFileSync(
    join(checkout.directory, "app/service/platform/cookie/cookie.ts"),
    "utf8",
  )
  checkout.write(
    "app/service/platform/cookie/cookie.ts",
    `${original}\nReflect.set(globalThis, "edited", 1)\n`,
  )
  expect((await rebuild(head)).bundle).not.toBe(first.bundle)
  checkout.write("app/service/platform/cookie/cookie.ts", original)
  expect(await rebuild(head)).toEqual(first)
})

test("what an edit has broken is an error with its place, and a fix is built", async () => {
  checkout.edit("app/worker.ts", (source) => `${source}\nconst = 1\n`)
  await expect(rebuild(head)).rejects.toThrow(/app\/worker\.ts:\d+/)
  checkout.edit("app/worker.ts", (source) => source.replace("\nconst = 1\n", ""))
  expect(await rebuild(head)).toEqual(first)
})

test("a checkout at a path with spaces, quotes and what URLs escape builds the same bundle", async () => {
  const directory = `${checkout.directory}, it's #1, 100%20 é?`
  using copies = new DisposableStack()
  copies.defer(() => rmSync(directory, { recursive: true }))
  cpSync(checkout.directory, directory, { recursive: true, verbatimSymlinks: true })
  const url = pathToFileURL(join(directory, "packages/tools/deploy/build/build.ts")).href
  const script = `
    const { build } = await import(${JSON.stringify(url)})
    console.log(JSON.stringify(await build(${JSON.stringify(head)})))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ])
  expect(JSON.parse(stdout)).toEqual(first)
})
