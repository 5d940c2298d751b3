import { spawnSync } from "node:child_process"
import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../base/root.ts"

test.each([
  ["environment", "check"],
  ["environment", "render"],
  ["secret", "doctor"],
])("%s %s says nothing good of a folder without stack files", (...words) => {
  const directory = mkdtempSync(join(tmpdir(), "accounts-empty-"))
  const command = [join(root, "packages/tools/cli/main.js"), ...words, "--directory", directory]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  rmdirSync(directory)
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining(`${directory} has no Pulumi.<stack>.yaml`),
  })
})
