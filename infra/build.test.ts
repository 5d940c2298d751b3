import { execFile } from "node:child_process"
import { cpSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"

import { afterAll, expect, test } from "vitest"

import { copyCheckout } from "../tests/testing/checkout.ts"
import type { build } from "./build.ts"

const head = { migrationsHead: "0000_first.sql" }

const checkout = copyCheckout()
afterAll(() => checkout[Symbol.asyncDispose]())
const { build: again }: { build: typeof build } = await import(file("infra/build.ts"))
const keptFile = file(".build/build.json")
const first = await again(head)

function file(path: string) {
  return join(checkout.directory, path)
}

function written() {
  return statSync(keptFile, { throwIfNoEntry: false })?.ino
}

test("a build is made once while nothing that it was made from changes", async () => {
  const before = written()
  expect(before).toBeDefined()
  expect(await again(head)).toEqual(first)
  expect(written()).toBe(before)
})

test("another head of the migrations is another build", async () => {
  const { bundle, tables } = await again({ migrationsHead: "0001_second.sql" })
  expect(bundle).not.toBe(first.bundle)
  expect(tables).toEqual(first.tables)
})

test("an edit is built, also of what a module imports, and its undoing is the first build again", async () => {
  const original = readFileSync(file("app/service/http/cookie.ts"), "utf8")
  checkout.edit(
    "app/service/http/cookie.ts",
    (source) => `${source}\nReflect.set(globalThis, "edited", 1)\n`,
  )
  const edited = await again(head)
  expect(edited.bundle).not.toBe(first.bundle)
  writeFileSync(file("app/service/http/cookie.ts"), original)
  expect(await again(head)).toEqual(first)
})

test("an edit of a table changes the columns in use", async () => {
  const original = readFileSync(file("app/consent/consent.table.ts"), "utf8")
  checkout.edit("app/consent/consent.table.ts", (source) =>
    source.replace(/id: text\(.*/, `$&\n  addedMeanwhile: text("addedMeanwhile"),`),
  )
  const { tables } = await again(head)
  writeFileSync(file("app/consent/consent.table.ts"), original)
  expect(Object.values(tables).flat()).toHaveLength(Object.values(first.tables).flat().length + 1)
})

test("what an edit has broken is an error each time, and a fix is built", async () => {
  checkout.edit("app/worker.ts", (source) => `${source}\nconst = 1\n`)
  await expect(again(head)).rejects.toThrow(/app\/worker\.ts:\d+/)
  await expect(again(head)).rejects.toThrow(/app\/worker\.ts:\d+/)
  checkout.edit("app/worker.ts", (source) => source.replace("\nconst = 1\n", ""))
  expect(await again(head)).toEqual(first)
})

test("a build whose modules were deleted, or whose record is damaged, is made again", async () => {
  rmSync(file(".build/files"), { recursive: true })
  expect(await again(head)).toEqual(first)
  for (const text of ["", "{", "null", '{"options":1}']) {
    writeFileSync(keptFile, text)
    expect(await again(head)).toEqual(first)
  }
})

test("a record that names no sources, or those of another checkout, does not stand for a build", async () => {
  const { bundle } = await again({ migrationsHead: "0001_second.sql" })
  await again(head)
  const record = JSON.parse(readFileSync(keptFile, "utf8"))
  const foreign = { ...record.files, "app/worker.ts": "0".repeat(64) }
  for (const files of [{}, { "package-lock.json": record.files["package-lock.json"] }, foreign]) {
    writeFileSync(
      keptFile,
      JSON.stringify({ ...record, files, build: { ...record.build, bundle } }),
    )
    expect(await again(head)).toEqual(first)
  }
})

test("a checkout at a path with spaces, quotes and what URLs escape builds the same bundle", async () => {
  const directory = `${checkout.directory}, it's #1, 100%20 é?`
  using copies = new DisposableStack()
  copies.defer(() => rmSync(directory, { recursive: true }))
  cpSync(checkout.directory, directory, { recursive: true, verbatimSymlinks: true })
  rmSync(join(directory, ".build"), { recursive: true })
  const url = pathToFileURL(join(directory, "infra/build.ts")).href
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

test("a file that was saved while it was built is built again", async () => {
  rmSync(keptFile)
  const path = file("app/service/http/cookie.ts")
  const soon = Date.now() / 1000 + 60
  utimesSync(path, soon, soon)
  await again(head)
  expect(written()).toBeUndefined()
})
