import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../base/root.ts"
import { all, createEnvironments, set } from "../../environment/testing/environments-folder.ts"

const previous = "AUTH_SECRET_PREVIOUS"

test("--dry-run says what a removal would do, refuses what it would, and writes nothing", () => {
  using folder = createEnvironments()
  const from = new Date(Date.now() - 60 * 60 * 1000).toISOString()
  const until = new Date(Date.parse(from) + 7 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  folder.edit(
    all(set(["secrets", previous], { secure: "v1:b2xk:CCCC" }), set("authSecretFrom", from)),
  )
  const file = join(folder.directory, "Pulumi.production.yaml")
  const before = readFileSync(file, "utf8")
  const remove = (...args: string[]) => {
    const command = [
      join(root, "packages/tools/cli/main.js"),
      "secret",
      "remove",
      ...args,
      "-s",
      "production",
    ]
    const site = ["--directory", folder.directory]
    const { status, stderr } = spawnSync(process.execPath, [...command, ...site], {
      encoding: "utf8",
    })
    return { status, stderr }
  }
  expect(remove(previous, "--dry-run")).toEqual({
    status: 1,
    stderr: expect.stringContaining(`is needed until ${until}`),
  })
  expect(remove(previous, "--dry-run", "--sign-out")).toEqual({
    status: 0,
    stderr: expect.stringMatching(
      new RegExp(`Nothing was changed. ${previous} would be removed[^]*end before ${until}`),
    ),
  })
  expect(remove("MAIL_SECRET", "--dry-run").stderr).toMatch(/has no MAIL_SECRET/)
  expect(readFileSync(file, "utf8")).toBe(before)
  expect(remove(previous, "--sign-out").status).toBe(0)
  expect(readFileSync(file, "utf8")).not.toMatch(/AUTH_SECRET_PREVIOUS|authSecretFrom/)
})
