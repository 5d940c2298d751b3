import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { openKeyService } from "./testing/secrets/key-service.ts"
import { openSecretsFolder } from "./testing/secrets/secrets-folder.ts"

const day = 24 * 60 * 60 * 1000

test("a rotation of FACTOR_SECRET has a time of its own, and its end is refused until a day later", async () => {
  using service = await openKeyService()
  using folder = await openSecretsFolder(service)
  const run = (...args: string[]) => folder.run([...args, "-s", "staging"])
  const previous = "FACTOR_SECRET_PREVIOUS"
  for (const name of ["AUTH_SECRET", "FACTOR_SECRET"]) {
    expect((await run("generate", name)).code).toBe(0)
    expect((await run("rotate", name)).code).toBe(0)
  }
  const text = folder.read("staging")
  const rendered = readFileSync(join(folder.environments, "staging.effective.yaml"), "utf8")
  expect(rendered).toMatch(/FACTOR_SECRET: sealed in .*, seals from \d{4}-\d\d-\d\d/)
  expect(rendered).toMatch(
    /FACTOR_SECRET_PREVIOUS: sealed in .*, seals until then, accepted until /,
  )
  for (const args of [
    ["rotate", "FACTOR_SECRET"],
    ["remove", previous, "--sign-out"],
  ]) {
    const { code, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/until \d{4}-/) })
  }
  expect(folder.read("staging")).toBe(text)
  const past = new Date(Date.now() - day - 60_000).toISOString()
  folder.edit("staging", (now) => now.replace(/(factorSecretFrom: ).*/, `$1"${past}"`))
  expect((await run("doctor")).stdout).toContain(`secret remove ${previous}`)
  expect((await run("remove", previous)).code).toBe(0)
  expect(folder.read("staging")).not.toContain("factorSecretFrom")
  expect(folder.read("staging")).toContain("authSecretFrom")
})
