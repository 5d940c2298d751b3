import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

import { Failure } from "./failure.ts"

/** Directory of the checkout. */
export const root = findRoot()

/** Pulumi's CLI runs the program in `infra/`, so paths in state are relative to it. */
export const infraDirectory = join(root, "infra")

export const migrationsDirectory = join(root, "migrations")

/** Searches above the working directory, then above the started script: a project may be anywhere. */
function findRoot(): string {
  const { ACCOUNTS_ROOT: configuredRoot } = process.env
  if (configuredRoot) return resolve(configuredRoot)
  const [, main = ""] = process.argv
  const checkout = checkoutAbove(process.cwd()) ?? checkoutAbove(dirname(main))
  if (checkout !== undefined) return checkout
  const message = `${process.cwd()} is in no checkout of Accounts, which has a Pulumi.yaml and environments/: run this in one, or set ACCOUNTS_ROOT to it.`
  throw new Failure("COMMAND_FAILED", message)
}

/** Requires both names, because a generated project has a Pulumi.yaml, but no environments/. */
function checkoutAbove(directory: string): string | undefined {
  const isCheckout = ["Pulumi.yaml", "environments"].every((name) =>
    existsSync(join(directory, name)),
  )
  if (isCheckout) return directory
  const parent = dirname(directory)
  return parent === directory ? undefined : checkoutAbove(parent)
}
