import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../base/root.ts"
import { createEnvironments } from "../../environment/testing/environments-folder.ts"

function run(directory: string, ...words: string[]) {
  const command = [join(root, "packages/tools/cli/main.js"), ...words, "--directory", directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  return { status, stdout, stderr }
}

test.each([
  ["environment", "check"],
  ["environment", "render"],
  ["secret", "doctor"],
])("%s %s says nothing good of a folder without stack files", (...words) => {
  const directory = mkdtempSync(join(tmpdir(), "accounts-empty-"))
  const ended = run(directory, ...words)
  rmdirSync(directory)
  expect(ended).toEqual({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining(`${directory} has no Pulumi.<stack>.yaml`),
  })
})

test("secrets of a stack file that cannot be read are not in order", () => {
  using folder = createEnvironments()
  const file = join(folder.directory, "Pulumi.staging.yaml")
  writeFileSync(file, "config:\n  a: [1\n")
  const doctor = ["secret", "doctor", "-s", "staging"]
  expect(run(folder.directory, ...doctor).stdout).toMatch(/staging: not checked.*cannot be read/)
  rmSync(file)
  mkdirSync(file)
  const generate = ["secret", "generate", "AUTH_SECRET", "-s", "staging"]
  for (const words of [doctor, generate, ["secret", "rotate", "AUTH_SECRET", "-s", "staging"]]) {
    const { status, stderr } = run(folder.directory, ...words)
    expect({ status, stderr }).toEqual({ status: 1, stderr: `error: ${file} is a folder.\n` })
  }
})
