import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { createEnvironments } from "../environment/testing/environments-folder.ts"
import { editStackFile } from "../operate/rotate.ts"

function run(directory: string, ...words: string[]) {
  const command = [join(root, "packages/tools/cli/main.js"), ...words, "--directory", directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  return { status, stdout, stderr }
}

test.each(["check", "render"])(
  "environment %s says nothing good of a folder without stack files",
  (verb) => {
    using directory = mkdtempDisposableSync(join(tmpdir(), "accounts-empty-"))
    expect(run(directory.path, "environment", verb)).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining(`${directory.path} has no Pulumi.<stack>.yaml`),
    })
  },
)

test("secrets of a stack file that cannot be read are not in order", () => {
  using folder = createEnvironments()
  const file = join(folder.directory, "Pulumi.staging.yaml")
  writeFileSync(file, "config:\n  a: [1\n")
  const check = ["environment", "check", "--secrets"]
  expect(run(folder.directory, ...check).stdout).toMatch(/staging: .*not opened.*cannot be read/)
  rmSync(file)
  mkdirSync(file)
  const rotate = ["secret", "rotate", "AUTH_SECRET", "-s", "staging"]
  expect(run(folder.directory, ...rotate)).toEqual({
    status: 1,
    stdout: "",
    stderr: `error: ${file} is a folder.\n`,
  })
})

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
