import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { editStackFile } from "./edit-stack-file.ts"

test("a change is made again of a file that an editor saved meanwhile", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "accounts-"))
  const file = join(directory.path, "Pulumi.staging.yaml")
  writeFileSync(file, "a: 1\n")
  let times = 0
  await editStackFile(file, (document) => {
    times += 1
    if (times === 1) writeFileSync(file, "a: 1\nb: 2\n")
    document.set("c", 3)
  })
  expect([times, readFileSync(file, "utf8")]).toEqual([2, "a: 1\nb: 2\nc: 3\n"])
})
