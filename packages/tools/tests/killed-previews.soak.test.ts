import { rmSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import {
  changeNumber,
  interruptUp,
  killProcessTree,
  withContext,
} from "./testing/engine/interruption.ts"
import { allFates, expectOnlyWanted } from "./testing/previews-at-once.ts"
import { s3Missing } from "./testing/s3-server.ts"
import { openPreviewSite } from "./testing/stacks/preview-site.ts"

const isFull = process.env["SOAK_BUDGET"] === "full"
const every = Array.from({ length: 99 }, (_, index) => index + 1)
/** Changes after which a run is killed, until one ends before that. */
const calls = isFull ? { up: every, down: every } : { up: [1, 3, 9], down: [1, 3] }
/** How many there are at least. */
const fewest = isFull ? { up: 12, down: 4 } : { up: 3, down: 2 }

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

test.each(["up", "down"] as const)(
  "whatever call of branch %s is killed, a sweep from another clone without state leaves nothing",
  async (verb) => {
    await using site = await openPreviewSite()
    const machine = site.openMachine("ours")
    const checkout = site.openMachine("others")
    site.push("other")
    site.remove("main")
    const killedAt: string[] = []
    for (const nth of calls[verb]) {
      if (verb === "down") await machine.succeed("branch", "up")
      const { at, output } = await interruptUp(machine, site.cloudflare, {
        kind: "api",
        isDue: changeNumber(nth),
        kill: killProcessTree,
        command: ["branch", verb],
      })
      const place = `${verb} killed after change ${nth}: ${at?.method} ${at?.path}\n${output}`
      const swept = await withContext(place, () =>
        checkout.succeed("branch", "sweep", "--days", "0", "--yes"),
      )
      expect(await accountContents(site.cloudflare), `${place}\n${swept.stderr}`).toEqual(
        emptyAccount,
      )
      for (const folder of ["locks", "stacks", "history", "backups"]) {
        rmSync(join(site.backend("ours"), ".pulumi", folder), { recursive: true, force: true })
      }
      if (at === undefined) break
      killedAt.push(`${at.method} ${at.path}`)
    }
    expect(killedAt.length).toBeGreaterThanOrEqual(fewest[verb])
  },
)

// Three of them at once are in `npm test`.
if (isFull) {
  test.skipIf(missing !== undefined)(
    `six previews at once end as exactly those that are wanted, in the account and in the bucket [bucket]${note}`,
    () => expectOnlyWanted(allFates),
  )
}
