import { basename } from "node:path"

import { expect, test } from "vitest"

import { accountContents } from "./testing/account-contents.ts"
import { git } from "./testing/commit.ts"
import { s3Missing, startS3 } from "./testing/s3-server.ts"
import { openPreviewSite } from "./testing/stacks/preview-site.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""
const branches = ["closed", "missed", "lost-and-gone", "lost", "Living/One", "living-two"]

test.skipIf(missing !== undefined)(
  `six previews at once end as exactly those that are wanted, in the account and in the bucket [bucket]${note}`,
  async () => {
    await using bucket = await startS3("state")
    await using site = await openPreviewSite()
    const url = `s3://state?endpoint=${bucket.url}&region=auto&s3ForcePathStyle=true`
    const key = { AWS_ACCESS_KEY_ID: "a-key", AWS_SECRET_ACCESS_KEY: "its-secret" }
    const machine = site.openMachine(url, key)
    for (const branch of branches) {
      git(machine.directory, "branch", branch)
      site.push(branch)
    }
    const folder = ".pulumi/stacks/accounts/"
    const held = async () => {
      const { databases, workers } = await accountContents(site.cloudflare)
      expect(workers.toSorted()).toEqual(databases.toSorted())
      return workers.map((name) => name.replace("accounts-", "")).toSorted()
    }
    const stored = async () => {
      const files = (await bucket.keys(folder)).filter((file) => file.endsWith(".json"))
      return files.map((file) => basename(file, ".json")).toSorted()
    }

    const brought = await Promise.all(
      branches.map((branch) => machine.succeed("branch", "up", branch, "--json")),
    )
    const stacks: string[] = brought.map(({ stdout }) => JSON.parse(stdout).stack)
    expect(await held()).toEqual(stacks.toSorted())
    expect(await stored()).toEqual(stacks.toSorted())

    const [, , lostAndGone = "", lost = "", ...living] = stacks
    for (const stack of [lostAndGone, lost]) {
      for (const file of await bucket.keys(`${folder}${stack}.`)) await bucket.remove(file)
    }
    for (const branch of ["closed", "missed", "lost-and-gone"]) site.remove(branch)
    await machine.succeed("branch", "down", "closed", "--yes")
    const sweeper = site.openMachine(url, key)
    await sweeper.succeed("branch", "sweep", "--days", "0", "--yes")
    expect(await held()).toEqual([lost, ...living].toSorted())
    expect(await stored()).toEqual(living.toSorted())

    await machine.succeed("branch", "down", "lost", "--yes")
    await machine.succeed("branch", "up", "lost")
    expect(await held()).toEqual([lost, ...living].toSorted())
    expect(await stored()).toEqual([lost, ...living].toSorted())
    const again = await sweeper.succeed("branch", "sweep", "--days", "0", "--yes")
    expect(again.stderr).toBe("Nothing to delete.\n")
  },
)
