import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { parseStackFile, readStackFile } from "../../environment/read.ts"
import { shownEdits } from "../../environment/testing/edits.ts"
import { createEnvironments, set } from "../../environment/testing/environments-folder.ts"
import { toRehearse } from "./project.ts"

function configOf(directory: string) {
  const path = join(directory, "Pulumi.production.yaml")
  return parseStackFile(path, path).config
}

test.each(Object.entries(shownEdits))(
  "an environment can be tried on this machine: %s",
  (_, edit) => {
    using environments = createEnvironments()
    environments.edit(edit[0])
    using folder = mkdtempDisposableSync(join(tmpdir(), "accounts-rehearsal-"))
    const path = join(folder.path, "accounts.yaml")
    const config = toRehearse("production", configOf(environments.directory), {})
    writeFileSync(
      path,
      JSON.stringify({
        config: { ...config, "cloudflare:baseUrl": "http://127.0.0.1:8787/client/v4" },
      }),
    )
    expect(readStackFile({ path, name: "production" }).environment.keepMail).toBe(true)
  },
)

test("a rehearsal has a secret of its own for each that the file has sealed, and keeps them", () => {
  using environments = createEnvironments()
  environments.edit(set(["secrets", "FACTOR_SECRET"], { secure: "v1:x" }))
  const config = configOf(environments.directory)
  const first = toRehearse("production", config, {})["accounts:secrets"]
  expect(Object.keys(Object(first)).toSorted()).toEqual(["AUTH_SECRET", "FACTOR_SECRET"])
  expect(toRehearse("production", config, Object(first))["accounts:secrets"]).toEqual(first)
  environments.edit(set(["secrets", "FACTOR_SECRET_PREVIOUS"], { secure: "v1:x" }))
  const rotated = configOf(environments.directory)
  const [before, second] = [Object(first), toRehearse("production", rotated, Object(first))]
  const secrets = Object(second["accounts:secrets"])
  expect(secrets).toMatchObject({
    AUTH_SECRET: before.AUTH_SECRET,
    FACTOR_SECRET_PREVIOUS: before.FACTOR_SECRET,
  })
  expect(secrets.FACTOR_SECRET).not.toBe(before.FACTOR_SECRET)
  expect(toRehearse("production", rotated, secrets)["accounts:secrets"]).toEqual(secrets)
})
