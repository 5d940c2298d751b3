import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test, afterAll, vi } from "vitest"
import { stringify } from "yaml"

import { startProviderUnderTest } from "../../deploy/testing/provider-under-test.ts"
import {
  existingBranches,
  findOrphanedPreviews,
  mergePreviews,
  planSweep,
  sweep,
} from "./orphaned-previews.ts"
import { quotaWarning, openPreviewAccount, stackOfName } from "./preview-resources.ts"
import { previewStackOf } from "./preview-stack.ts"

const now = new Date("2026-03-10T12:00:00Z")

function preview(branch: string, lastUpdate?: string, updateInProgress = false) {
  return { name: previewStackOf(branch), lastUpdate, updateInProgress, stored: true }
}

test("a preview is deleted with its branch, unless it is young or being updated", () => {
  const previews = [
    preview("main", "2020-01-01T00:00:00Z"),
    preview("feature/Login", "2020-01-01T00:00:00Z"),
    preview("merged", "2026-03-09T11:59:59Z"),
    preview("never-updated"),
    preview("not-pushed-yet", "2026-03-09T12:00:01Z"),
    preview("busy", "2020-01-01T00:00:00Z", true),
  ]
  const branches = ["main", "feature/Login"]
  expect(findOrphanedPreviews(previews, { branches, days: 1, now })).toEqual({
    orphaned: ["preview-merged", "preview-never-updated"].map((stack) => ({
      stack,
      reason: "its branch is gone",
    })),
    retained: [
      { stack: "preview-not-pushed-yet", reason: "updated 2026-03-09T12:00:01Z" },
      { stack: "preview-busy", reason: "it is being updated" },
    ],
  })
})

/** A bare repository, as a remote. */
function createRemote() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-remote-"))
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: directory, stdio: "pipe", encoding: "utf8" }).trim()
  git("init", "--bare", "--quiet")
  const name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  const tree = git("hash-object", "-t", "tree", "-w", "/dev/null")
  const commit = git(...name, "commit-tree", tree, "-m", "Start")
  return {
    directory,
    push: (branch: string) => git("update-ref", `refs/heads/${branch}`, commit),
    tag: (tag: string) => git("update-ref", `refs/tags/${tag}`, commit),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

test("branches are those that the remote has now, and tags are none", () => {
  using remote = createRemote()
  remote.push("main")
  remote.push("feature/Login")
  remote.tag("v1")
  const branches = existingBranches({ local: false, remote: remote.directory })
  expect(branches.toSorted()).toEqual(["feature/Login", "main"])
})

test.each([
  ["has no branch", (directory: string) => directory, /has no branch at all/],
  ["does not exist", (directory: string) => `${directory}/none`, /cannot be read/],
  ["looks like an option", () => "--upload-pack=touch marker", /cannot be read/],
])("nothing is deleted when the remote %s", (_how, name, message) => {
  using remote = createRemote()
  expect(() => existingBranches({ local: false, remote: name(remote.directory) })).toThrow(message)
})

const worker = {
  id: "w",
  name: "accounts-preview-lost",
  tags: [],
  created_on: "2020-01-01T00:00:00Z",
}

test("resources without a stack are deleted with their branch as well, by the age in the account", () => {
  const question = { branches: ["main"], days: 1, now }
  const find = (changed: string) => {
    const resourcesByStack = new Map([
      ["preview-lost", { worker: { ...worker, deployed_on: changed } }],
    ])
    return findOrphanedPreviews(mergePreviews([preview("main")], resourcesByStack), question)
  }
  const reasonStart = "its branch is gone, and no stack knows what the account has of it"
  expect(find("2026-03-09T11:59:59Z")).toEqual({
    orphaned: [{ stack: "preview-lost", reason: `${reasonStart}: Worker ${worker.name} (w)` }],
    retained: [],
  })
  expect(find("2026-03-09T12:00:01Z").orphaned).toEqual([])
  expect(
    findOrphanedPreviews(mergePreviews([], new Map([["preview-main", { worker }]])), question),
  ).toEqual({
    orphaned: [],
    retained: [],
  })
})

test("a preview that has expired goes although its branch exists, unless it is young", () => {
  const find = (expires: string, deployed_on: string) => {
    const tags = ["environment=preview", `expires=${expires}`]
    const resourcesByStack = new Map([
      ["preview-main", { worker: { ...worker, tags, deployed_on } }],
    ])
    return findOrphanedPreviews(mergePreviews([preview("main")], resourcesByStack), {
      branches: ["main"],
      days: 1,
      now,
    })
  }
  expect(find("2026-03-09", "2026-03-01T00:00:00Z").orphaned).toEqual([
    { stack: "preview-main", reason: "it expired on 2026-03-09" },
  ])
  expect(find("2026-03-10", "2026-03-01T00:00:00Z").orphaned).toEqual([])
  expect(find("2026-03-09", "2026-03-10T11:00:00Z").orphaned).toEqual([])
})

test("a sweep looks again before each deletion: at the branch, at the stack, at whose it is", async () => {
  const names = ["reopened", "deployed", "foreign", "gone", "refused"]
  const branches: string[] = []
  const stacks = names.filter((name) => name !== "foreign").map((name) => preview(name))
  const resourcesByStack = new Map([["preview-foreign", { worker }]])
  let doubt: string | undefined
  const deleted: string[] = []
  const printed: string[] = []
  const context = {
    branches: () => branches,
    previews: async () => mergePreviews(stacks, resourcesByStack),
    doubt: async () => doubt,
    tearDown: async (stack: string) => {
      if (stack === "preview-refused") throw new Error("refused by Cloudflare")
      deleted.push(stack)
    },
  }
  const plan = await planSweep(context, { days: 1, now })
  expect(plan.orphaned.map(({ stack }) => stack).toSorted()).toEqual(
    names.map(previewStackOf).toSorted(),
  )
  branches.push("reopened")
  stacks[1] = preview("deployed", "2026-03-10T11:59:00Z")
  doubt = "it has no tag"
  const allStacks = names.map(previewStackOf)
  const done = await sweep(context, {
    stacks: allStacks,
    days: 1,
    now,
    say: (text) => printed.push(text),
  })
  expect(done).toEqual({ deleted: ["preview-gone"], failed: ["preview-refused"] })
  expect(deleted).toEqual(["preview-gone"])
  expect(printed).toEqual([
    "Kept preview-reopened: it is no longer orphaned.",
    "Kept preview-deployed: updated 2026-03-10T11:59:00Z.",
    "Kept preview-foreign: it has no tag, so it may belong to someone else.",
    "Deleted preview-gone.",
    "refused by Cloudflare",
  ])
})

const { cloudflare, account } = await startProviderUnderTest()
afterAll(() => vi.unstubAllEnvs())

test("a name is a preview's only if the template makes it of a branch", () => {
  const usual = "accounts-preview-a-branch"
  expect(stackOfName("accounts-preview-main", usual)).toBe("preview-main")
  expect(stackOfName("accounts-preview-feature-login-0a1b2c", usual)).toBe(
    "preview-feature-login-0a1b2c",
  )
  for (const name of [
    "accounts-preview-",
    "accounts-preview--x",
    "accounts-preview-Main",
    "accounts-preview-main_2",
    `accounts-preview-${"x".repeat(38)}`,
    "accounts-production",
    "accounts-previews",
    "other",
  ]) {
    expect({ name, stack: stackOfName(name, usual) }).toEqual({ name, stack: undefined })
  }
  expect(stackOfName("try-main-api", "try-a-branch-api")).toBe("preview-main")
  expect(stackOfName("try-main", "try-a-branch-api")).toBeUndefined()
  expect(stackOfName("main-or-other", "a-branch-or-a-branch")).toBeUndefined()
})

test("an account that is nearly full of previews is said before another is made", () => {
  expect(quotaWarning(224)).toBeUndefined()
  expect(quotaWarning(225)).toContain(
    "225 previews, each with a cron trigger, of which Workers Paid allows 250",
  )
})

test("an account's previews are found on every page, what lasts is none, and what others made is doubtful", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "previews-"))
  const template = join(directory.path, "preview.yaml")
  const config = {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:environment": "preview",
    "accounts:accountId": cloudflare.accountId,
    "accounts:name": "accounts-{branch}",
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api-{branch}.preview.accounts.test",
    "accounts:webOrigin": "https://web-{branch}.preview.accounts.test",
  }
  writeFileSync(template, stringify({ config }))
  vi.stubEnv("CLOUDFLARE_API_TOKEN", cloudflare.token)
  const options = { state: directory.path, apiPort: 0, port: 0, engine: undefined }
  await using opened = await openPreviewAccount({ ...options, local: false, template })
  const ids: string[] = []
  for (let count = 1; count <= 101; count += 1) {
    ids.push(await account.createDatabase(`accounts-many-${count}`))
  }
  const workerId = await account.createWorker("accounts-many-101")
  await account.createDatabase("accounts-production")
  await account.createDatabase("unrelated")
  const resourcesByStack = await opened.resources()
  expect(resourcesByStack.size).toBe(101)
  expect(resourcesByStack.has("preview-production")).toBe(false)
  const last = resourcesByStack.get("preview-many-101") ?? {}
  expect(last).toMatchObject({ database: { uuid: ids[100] }, worker: {} })
  expect(await opened.doubt(last)).toBe("its Worker has no tag environment=preview")
  vi.stubEnv("GITHUB_REPOSITORY", "acme/accounts")
  for (const [repository, doubt] of [
    ["acme/other", "its Worker is of the repository acme/other"],
    ["acme/accounts", undefined],
  ]) {
    const tags = ["environment=preview", `repository=${repository}`]
    await account.call("PATCH", `/workers/workers/${workerId}`, { tags })
    const taggedResources = (await opened.resources()).get("preview-many-101") ?? {}
    expect(await opened.doubt(taggedResources)).toBe(doubt)
  }

  // A run that was killed between its first two requests leaves this.
  expect(await opened.doubt(resourcesByStack.get("preview-many-1") ?? {})).toBeUndefined()
  // A branch's code may use such a name.
  const [, second = "", third = ""] = ids
  await account.query(second, `CREATE TABLE "d1\n::migrations" (id INTEGER)`)
  expect(await opened.doubt(resourcesByStack.get("preview-many-2") ?? {})).toBe(
    "its database has tables that no deployment of this project made, such as d1?::migrations",
  )
  await account.query(third, "CREATE TABLE accounts_migrations (id INTEGER)")
  // Deployed or restored by hand, perhaps from another repository.
  expect(await opened.doubt(resourcesByStack.get("preview-many-3") ?? {})).toBe(
    "no Worker says which repository its database is of",
  )
  await account.query(ids[100] ?? "", "CREATE TABLE accounts_migrations (id INTEGER)")
  const ownResources = (await opened.resources()).get("preview-many-101") ?? {}
  expect(await opened.doubt(ownResources)).toBeUndefined()
})
