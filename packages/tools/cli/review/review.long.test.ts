import { spawnSync } from "node:child_process"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { startLocalCloudflare } from "../../deploy/testing/local-cloudflare.ts"
import { all, set } from "../../environment/testing/environments-folder.ts"
import { canary, secretPlaces } from "../../environment/testing/secret-places.ts"
import { copyCheckout } from "../../tests/testing/checkout.ts"
import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { shortName } from "../branch/branch-name.ts"
import { openAccountAt } from "../rehearsal/rehearse-branch.ts"
import { reviewText } from "./review-text.ts"
import { review } from "./review.ts"
import { branches } from "./testing/branches.ts"
import { createRepository, firstMigration } from "./testing/repository.ts"
import { isGood, rehearseNew } from "./verdict.ts"

// A reviewer reads Cloudflare's own words.
const cloudflare = await startLocalCloudflare({})
afterAll(() => cloudflare[Symbol.asyncDispose]())

let accounts = 0

const { signal } = new AbortController()

/** All use one local Cloudflare, so their names must differ. */
async function openScratch() {
  const account = openAccountAt(cloudflare)
  accounts += 1
  const number = accounts
  return {
    ...account,
    createDatabase: (name: string) => account.createDatabase(`${name}-${number}`),
  }
}

/** These repositories have no sources that say it. */
async function readUse() {
  return { head: "0000_member.sql", tables: {} }
}

/** Of twenty members some have the same name. */
const members = Array.from({ length: 20 }, (_, n) => `('m${n}', 'Name ${n % 7}')`)

/** Does the same as the command. */
async function reviewAndRehearse(root: string) {
  const branchReview = await review(root, "main", { environment: {} })
  const rehearsal = await rehearseNew(branchReview.migrations, {
    root,
    base: "main",
    rows: `INSERT INTO member (id, name) VALUES ${members.join(", ")};`,
    readUse,
    openAccount: openScratch,
    say: () => {},
    signal,
  })
  return { ...branchReview, rehearsal }
}

test.each(branches)("a reviewer reads what an edit does: $name", async ({ name, good, change }) => {
  using repository = createRepository()
  await change(repository)
  await repository.commit()
  const reviewed = await reviewAndRehearse(repository.root)
  // A commit has another hash each time.
  const text = reviewText(reviewed).replace(/(^Base )[0-9a-f]{12}/m, "$1012345678901")
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.txt`)
  expect(isGood(reviewed)).toBe(good)
  expectNoLeak(text + JSON.stringify(reviewed), { canary: "canary-in-clear" })
})

test.each(secretPlaces)("neither the comment nor --json holds $title", async ({ change }) => {
  using repository = createRepository()
  repository.edit(change)
  await repository.commit()
  const reviewed = await review(repository.root, "main", { environment: {} })
  expect(isGood(reviewed)).toBe(false)
  expectNoLeak(reviewText(reviewed) + JSON.stringify(reviewed), { canary })
})

test("a stack file that was not rendered again, and an edited migration, are refused", async () => {
  using repository = createRepository()
  repository.edit(set("crons", ["5 4 * * *"]))
  repository.write("migrations/0000_member.sql", `${firstMigration}-- edited\n`)
  const reviewed = await review(repository.root, "main", { environment: {} })
  expect(reviewed.stale.map(({ path }) => path)).toContain("environments/production.effective.yaml")
  expect(reviewed.migrations).toMatchObject([{ name: "0000_member.sql", kind: "edited" }])
  expect(isGood(reviewed)).toBe(false)
})

test("the comment names the preview of the branch, however it is called", async () => {
  using repository = createRepository()
  const urlFor = async (GITHUB_HEAD_REF: string) =>
    (await review(repository.root, "main", { environment: { GITHUB_HEAD_REF } })).preview?.url
  expect(await urlFor("")).toBe("https://api-change.preview.acme.dev")
  const odd = "fix/`Session`@acme <b>"
  expect(await urlFor(odd)).toBe(`https://api-${shortName(odd)}.preview.acme.dev`)
  const reviewed = await review(repository.root, "main", { environment: { GITHUB_HEAD_REF: odd } })
  expect(reviewText(reviewed)).toContain(`Preview of \`fix/'Session'@acme <b>\`: <https://api-fix-`)
  repository.edit((text) => text.replace(/"f.*0"/, `"${"0".repeat(32)}"`), "preview.yaml")
  repository.edit((text) => text.replaceAll("acme.dev", "example.dev"), "preview.yaml")
  expect(await urlFor("fix")).toBe(undefined)
})

test("a rehearsal that cannot be run is said, and the branch is not passed", async () => {
  using repository = createRepository()
  repository.write("migrations/0001_note.sql", "CREATE TABLE note (id TEXT PRIMARY KEY);\n")
  await repository.commit()
  const branchReview = await review(repository.root, "main", { environment: {} })
  const rehearsal = await rehearseNew(branchReview.migrations, {
    root: repository.root,
    base: "main",
    rows: "",
    readUse,
    openAccount: () => Promise.reject(new Error("no port is free")),
    say: () => {},
    signal,
  })
  expect(isGood(branchReview)).toBe(true)
  expect(isGood({ ...branchReview, rehearsal })).toBe(false)
  expect(reviewText({ ...branchReview, rehearsal })).toContain("Not rehearsed: `no port is free`")
})

test("text of a branch is neither a mention nor a link nor HTML in the comment", async () => {
  using repository = createRepository()
  const reason = "`@acme/ops` <img src=x> [x](https://evil.com) of acme"
  repository.edit(all(set("protect", false), set(["accept"], { R44: reason })))
  await repository.commit()
  const text = reviewText(await review(repository.root, "main", { environment: {} }))
  const outside = text.replaceAll(/```text[^]*?\n```/g, "").replaceAll(/`[^`\n]*`/g, "")
  expect(outside).not.toMatch(/@acme|<img|evil\.com/)
})

test("the command needs nothing but a clone", async () => {
  await using checkout = copyCheckout()
  const run = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [join(checkout.directory, "packages/tools/cli/main.js"), "review", ...args],
      { cwd: checkout.directory, env: { PATH: process.env["PATH"] }, encoding: "utf8" },
    )
  const { status, stdout } = run("--base", "main")
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringContaining("nothing in any environment"),
  })
  expect(run("--base", "nowhere")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("nowhere"),
  })
})
