import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"

test("every line of a list in docs/local-cloudflare.md names a test that exists", async () => {
  const page = join(import.meta.dirname, "../../../docs/local-cloudflare.md")
  const lists = /^`(?<path>[\w/.-]+)`\n\n(?<titles>(?:- .*\n)+)/gm
  const rows = [...(await readFile(page, "utf8")).matchAll(lists)].flatMap(({ groups }) =>
    [...(groups?.["titles"] ?? "").matchAll(/^- (.*?)(?: _\(.*\)_)?$/gm)].map(([, title = ""]) => ({
      path: groups?.["path"] ?? "",
      title,
    })),
  )
  expect(rows.length).toBeGreaterThan(60)
  for (const { path, title } of rows) {
    const folder = join(import.meta.dirname, "../../..", fromRoot(path) ? "." : "packages/local")
    const source = await readFile(join(folder, `${path}.test.ts`), "utf8")
    expect([title, source.includes(`"${title}"`)]).toEqual([title, true])
  }
})

test("every file and folder that README.md names exists", async () => {
  const packageRoot = join(import.meta.dirname, "..")
  const readme = await readFile(join(packageRoot, "README.md"), "utf8")
  const cells = readme.split("\n").filter((line) => line.startsWith("| "))
  const namedOperations = cells.flatMap((line) =>
    [...line.matchAll(/`(?<path>[\w-]+(?:\/[\w.-]*)+)`/g)].map(
      ({ groups }) => groups?.["path"] ?? "",
    ),
  )
  expect(namedOperations.length).toBeGreaterThan(20)
  const folders = ["", "cloudflare", "sandbox", "tests"]
  expect(
    namedOperations.filter(
      (path) => !folders.some((folder) => existsSync(join(packageRoot, folder, path))),
    ),
  ).toEqual([])
})

function fromRoot(path: string) {
  return path.startsWith("packages/")
}
