import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

test("every row of docs/local-cloudflare.md names a test that exists", async () => {
  const file = join(import.meta.dirname, "../../docs/local-cloudflare.md")
  const rows = (await readFile(file, "utf8"))
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .flatMap(([, title = "", name = ""]) => {
      const path = /^`(?<path>[\w/.-]+)`$/.exec(name)?.groups?.["path"]
      return path === undefined ? [] : [{ path, title }]
    })
  expect(rows.length).toBeGreaterThan(25)
  for (const { path, title } of rows) {
    const folder = join(import.meta.dirname, "../..", fromRoot(path) ? "." : "local/cloudflare")
    const source = await readFile(join(folder, `${path}.test.ts`), "utf8")
    expect([title, source.includes(`"${title}"`)]).toEqual([title, true])
  }
})

test("every file and folder that README.md names exists", async () => {
  const own = join(import.meta.dirname, "..")
  const readme = await readFile(join(own, "README.md"), "utf8")
  const cells = readme.split("\n").filter((line) => line.startsWith("| "))
  const named = cells.flatMap((line) =>
    [...line.matchAll(/`(?<path>[\w-]+(?:\/[\w.-]*)+)`/g)].map(
      ({ groups }) => groups?.["path"] ?? "",
    ),
  )
  expect(named.length).toBeGreaterThan(20)
  const folders = ["", "cloudflare", "sandbox", "tests"]
  expect(
    named.filter((path) => !folders.some((folder) => existsSync(join(own, folder, path)))),
  ).toEqual([])
})

function fromRoot(path: string) {
  return /^(?:local|tests)\//.test(path)
}
