import { basename } from "node:path"

import { expect } from "vitest"

import { accountContents } from "./account-contents.ts"
import { git } from "./commit.ts"
import { startS3 } from "./s3-server.ts"
import { openPreviewSite } from "./stacks/preview-site.ts"

/** State of a branch and its preview before the sweep. */
const fates = {
  closed: { gone: true, lost: false },
  missed: { gone: true, lost: false },
  "lost-and-gone": { gone: true, lost: true },
  lost: { gone: false, lost: true },
  "Living/One": { gone: false, lost: false },
  "living-two": { gone: false, lost: false },
}
type Branch = keyof typeof fates

export const allFates = Object.keys(fates).filter((name): name is Branch => name in fates)

/**
 * Brings up the previews of all these branches at once, loses the state of some, deletes some branches, and
 * expects a sweep to leave what is wanted alone, in the account and in the bucket.
 */
export async function expectOnlyWanted(branches: Branch[]): Promise<void> {
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
  const listStacks = async () => {
    const { databases, workers } = await accountContents(site.cloudflare)
    expect(workers.toSorted()).toEqual(databases.toSorted())
    return workers.map((name) => name.replace("accounts-", "")).toSorted()
  }
  const stored = async () => {
    const files = (await bucket.keys(folder)).filter((file) => file.endsWith(".json"))
    return files.map((file) => basename(file, ".json")).toSorted()
  }

  const trees = new Map(branches.map((branch) => [branch, machine.worktree(branch)]))
  const up = async (branch: Branch) => await trees.get(branch)?.succeed("branch", "up", "--json")
  const brought = await Promise.all(
    branches.map(async (branch) => {
      const stdout = (await up(branch))?.stdout ?? ""
      return { branch, stack: String(JSON.parse(stdout).stack), ...fates[branch] }
    }),
  )
  const stacksOf = (previews: typeof brought) => previews.map(({ stack }) => stack).toSorted()
  expect(await listStacks()).toEqual(stacksOf(brought))
  expect(await stored()).toEqual(stacksOf(brought))

  for (const { stack } of brought.filter(({ lost }) => lost)) {
    for (const file of await bucket.keys(`${folder}${stack}.`)) await bucket.remove(file)
  }
  for (const { branch } of brought.filter(({ gone }) => gone)) site.remove(branch)
  await machine.succeed("branch", "down", "closed", "--yes")
  const sweeper = site.openMachine(url, key)
  await sweeper.succeed("branch", "sweep", "--days", "0", "--yes")
  const living = brought.filter(({ gone }) => !gone)
  expect(await listStacks()).toEqual(stacksOf(living))
  expect(await stored()).toEqual(stacksOf(living.filter(({ lost }) => !lost)))

  for (const { branch } of living.filter(({ lost }) => lost)) {
    await machine.succeed("branch", "down", branch, "--yes")
    await up(branch)
  }
  expect(await listStacks()).toEqual(stacksOf(living))
  expect(await stored()).toEqual(stacksOf(living))
  const run = await sweeper.succeed("branch", "sweep", "--days", "0", "--yes")
  expect(run.stderr).toBe("Nothing to delete.\n")
}
