import { execFileSync } from "node:child_process"
import { readdirSync, renameSync, writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { joinOrStart } from "../cli/process/local-cloudflare.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { hasCommit, unpackCommit } from "./testing/former-commit.ts"
import { openDeployed, openStacks } from "./testing/stacks/test-stacks.ts"

/** The commit before, or the one in FORMER, from which an update must change nothing but the service's code. */
const { FORMER: chosenRevision } = process.env
const revision = chosenRevision ?? "HEAD^"
const harmless = chosenRevision === undefined ? ["create", "update"] : ["update"]

const missing = hasCommit(revision) ? "" : ` skipped: Git has no ${revision}`

/** The same file in both, after all that both have, with rows that it declares to lose. */
function declareLoss(formerRoot: string, checkout: string): string {
  const files = (directory: string) =>
    readdirSync(join(directory, "migrations")).filter((file) => file.endsWith(".sql"))
  const numbered = (number: number, rest: string) => `${String(number).padStart(4, "0")}${rest}`
  const count = files(formerRoot).length
  for (const file of files(checkout).slice(count).toReversed()) {
    const later = numbered(Number(file.slice(0, 4)) + 1, file.slice(4))
    renameSync(join(checkout, "migrations", file), join(checkout, "migrations", later))
  }
  const name = numbered(count, "_forgotten.sql")
  const loss =
    "-- accounts:loses verification, all rows: links expire in a day\nDELETE FROM verification;\n"
  for (const directory of [formerRoot, checkout]) {
    writeFileSync(join(directory, "migrations", name), loss)
  }
  return name
}

/** Returns the differences of a preview, except another bundle and its version. */
function otherDifferences(text: string): string[] {
  const lines = text.split("\n").filter((line) => /^ *[~+-] /.test(line))
  return lines.filter((line) => !/: \(| to update|\(hidden\)$|~ (?:bundle|versionId) *:/.test(line))
}

test.skipIf(missing !== "")(
  `[commit before]${missing} what it brought up keeps every resource, and its ledger and declarations are read`,
  async () => {
    await using formerCheckout = await mkdtempDisposable(join(tmpdir(), "accounts-former-"))
    unpackCommit(revision, formerCheckout.path)
    await using checkout = copyCheckout()
    const { directory, state } = checkout
    const name = declareLoss(formerCheckout.path, directory)
    await using opened = new AsyncDisposableStack()
    const cloudflare = await joinOrStart({ state, apiPort: 0, port: 0 })
    opened.defer(() => cloudflare.stop())
    // Where its command lies, only its launcher knows.
    const start = ["start", "--once", "--state", state]
    execFileSync(join(formerCheckout.path, "accounts"), start, {
      cwd: formerCheckout.path,
      stdio: "pipe",
    })

    const local = await opened.use(await openStacks(checkout)).local()
    const { changes, text } = await local.preview()
    expect(Object.keys(changes).filter((change) => !harmless.includes(change))).toEqual([])
    expect(chosenRevision === undefined ? [] : otherDifferences(text)).toEqual([])
    await local.up()
    await using deployed = await openDeployed(local)
    const { applied, records } = await deployed.database.ledger()
    expect(applied.at(-1)?.name).toBe(name)
    expect(records.get(name)).toHaveProperty("bookmark")
    await checkout.succeed("database", "lint", join(directory, "migrations", name))
  },
)
