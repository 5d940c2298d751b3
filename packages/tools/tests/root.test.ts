import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  mkdirSync,
  mkdtempDisposableSync,
  realpathSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

const repository = join(import.meta.dirname, "../../..")

/** A folder that looks like a checkout, with a generated project in it. */
function createCheckout(path: string) {
  const generated = join(path, ".local/projects/local")
  mkdirSync(generated, { recursive: true })
  mkdirSync(join(path, "environments"))
  for (const folder of [path, generated]) writeFileSync(join(folder, "Pulumi.yaml"), "name: a\n")
  const program = join(path, "main.js")
  const module = JSON.stringify(join(repository, "packages/tools/base/root.ts"))
  writeFileSync(program, `import(${module}).then(({ root }) => console.log(root))`)
  return { path, generated, program }
}

function rootFrom(cwd: string, args: string[], extraEnv: NodeJS.ProcessEnv = {}) {
  const { ACCOUNTS_ROOT: _, ...env } = process.env
  const run = spawnSync(process.execPath, args, {
    cwd,
    env: { ...env, ...extraEnv },
    encoding: "utf8",
  })
  return run.stdout.trim() || run.stderr
}

test("the checkout is the one given, or lies above the working directory, or above what runs", () => {
  using folder = mkdtempDisposableSync(join(realpathSync(tmpdir()), "accounts-root-"))
  const checkout = createCheckout(join(folder.path, "one"))
  const otherCheckout = createCheckout(join(folder.path, "other"))
  expect(rootFrom(checkout.path, [otherCheckout.program])).toBe(checkout.path)
  expect(rootFrom(checkout.generated, [otherCheckout.program])).toBe(checkout.path)
  expect(rootFrom(folder.path, [otherCheckout.program])).toBe(otherCheckout.path)
  expect(rootFrom(checkout.path, [checkout.program], { ACCOUNTS_ROOT: "../other" })).toBe(
    otherCheckout.path,
  )
})

test("without a checkout, a command fails with one line", () => {
  using folder = mkdtempDisposableSync(join(realpathSync(tmpdir()), "accounts-root-"))
  const main = JSON.stringify(join(repository, "packages/tools/cli/main.js"))
  const root = rootFrom(folder.path, ["--input-type=module", "--eval", `await import(${main})`])
  expect(root).toMatch(/^error: .* is in no checkout of Accounts, .*\n$/)
})

test("`./accounts` is about its own checkout, wherever it is called from", () => {
  using folder = mkdtempDisposableSync(join(realpathSync(tmpdir()), "accounts-root-"))
  const checkout = createCheckout(join(folder.path, "one"))
  const otherCheckout = createCheckout(join(folder.path, "other"))
  mkdirSync(join(checkout.path, "packages/tools/cli"), { recursive: true })
  copyFileSync(checkout.program, join(checkout.path, "packages/tools/cli/main.js"))
  copyFileSync(join(repository, "accounts"), join(checkout.path, "accounts"))
  const { stdout } = spawnSync(join(checkout.path, "accounts"), {
    cwd: otherCheckout.path,
    encoding: "utf8",
  })
  expect(stdout.trim()).toBe(checkout.path)
})
