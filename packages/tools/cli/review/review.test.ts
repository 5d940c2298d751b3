import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { renderEnvironments } from "../../environment/effective/rendered.ts"
import { all, createEnvironments, set } from "../../environment/testing/environments-folder.ts"
import { canary, secretPlaces } from "../../environment/testing/secret-places.ts"
import { line, trust } from "../../environment/testing/wrong-file.ts"
import { startLocalCloudflare } from "../../provider/testing/local-cloudflare.ts"
import { copyCheckout } from "../../tests/testing/checkout.ts"
import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { shortName } from "../branch/branch-name.ts"
import { openAccountAt } from "../rehearsal/scratch-account.ts"
import { rehearseNew } from "./review-rehearsal.ts"
import { reviewText } from "./review-text.ts"
import { isGood, review } from "./review.ts"

const first = "CREATE TABLE member (id TEXT PRIMARY KEY, name TEXT NOT NULL);\n"

/** Its branch begins at `main`. Copied by each test, since git takes as long as what is tested. */
const template = mkdtempSync(join(tmpdir(), "accounts-review-"))
afterAll(() => rmSync(template, { recursive: true, force: true }))
await prepare()

async function prepare() {
  using folder = createEnvironments()
  cpSync(folder.directory, join(template, "environments"), { recursive: true })
  for (const name of ["migrations", "docs"]) mkdirSync(join(template, name))
  writeFileSync(join(template, "migrations/0000_member.sql"), first)
  writeFileSync(join(template, "docs/bundle.md"), "One module of **600.0 KiB** minified\n")
  git(template, "init", "--quiet", "--initial-branch=main", "--template=")
  await commitAll(template, "Start")
  git(template, "switch", "--quiet", "--create", "change")
}

function git(root: string, ...args: string[]) {
  const author = ["-c", "user.name=A", "-c", "user.email=a@acme.com"]
  execFileSync("git", [...author, ...args], { cwd: root })
}

async function commitAll(root: string, message: string) {
  const folders = [join(root, "environments"), join(root, "migrations")] as const
  for (const { path, text } of await renderEnvironments(...folders)) {
    if (text !== undefined) writeFileSync(path, text)
  }
  git(root, "add", "--all")
  git(root, "-c", "maintenance.auto=false", "commit", "--quiet", "--message", message)
}

/** A repository with a branch that begins at `main`. It reads what is committed there from the template. */
function createRepository() {
  const root = mkdtempSync(join(tmpdir(), "accounts-review-"))
  const objects = ".git/objects"
  cpSync(template, root, { recursive: true, filter: (path) => !/objects\/[0-9a-f]{2}$/.test(path) })
  writeFileSync(join(root, objects, "info/alternates"), `${join(template, objects)}\n`)
  return {
    root,
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
    commit: (message: string) => commitAll(root, message),
    edit: (change: (text: string) => string, file = "Pulumi.production.yaml") => {
      const stackFile = join(root, "environments", file)
      writeFileSync(stackFile, change(readFileSync(stackFile, "utf8")))
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

type Repository = ReturnType<typeof createRepository>
const mailSecret = ["secrets", "MAIL_SECRET"]

/** What a pull request may do, and whether it may be merged. */
const edits: { name: string; good: boolean; change: (repository: Repository) => void }[] = [
  {
    name: "host",
    good: true,
    change: ({ edit }) =>
      edit(all(set("apiOrigin", "https://auth.acme.com"), set("trustedOrigins", undefined))),
  },
  { name: "cookie-domain", good: true, change: ({ edit }) => edit(set("cookieDomain", undefined)) },
  { name: "origin", good: false, change: ({ edit }) => edit(trust("https://partner.org")) },
  { name: "binding", good: true, change: ({ edit }) => edit(set("mailFrom", "no-reply@acme.com")) },
  {
    name: "secret-added",
    good: true,
    change: ({ edit }) => edit(set(mailSecret, { secure: "v1:bQ:MMMM" })),
  },
  {
    name: "secret-sealed-anew",
    good: true,
    change: ({ edit }) => edit(set(["secrets", "AUTH_SECRET", "secure"], "v1:bQ:NNNN")),
  },
  {
    name: "secret-in-clear",
    good: false,
    change: ({ edit }) => edit(set(mailSecret, "canary-in-clear")),
  },
  { name: "cron", good: true, change: ({ edit }) => edit(set("crons", ["5 4 * * *"])) },
  { name: "name", good: false, change: ({ edit }) => edit(set("name", "members")) },
  { name: "unreadable", good: false, change: ({ edit }) => edit(() => "config: [\n") },
  {
    name: "esc-import",
    good: true,
    change: ({ edit }) => edit((text) => `environment: [mallory/extra]\n${text}`),
  },
  { name: "location", good: false, change: ({ edit }) => edit(set("location", "apac")) },
  {
    name: "protection",
    good: true,
    change: ({ edit }) =>
      edit(
        all(
          set("protect", false),
          set(["accept"], { R44: "the account moves to another company" }),
        ),
      ),
  },
  {
    name: "migration-that-expands",
    good: true,
    change: ({ write }) =>
      write("migrations/0001_note.sql", "CREATE TABLE note (id TEXT PRIMARY KEY);\n"),
  },
  {
    name: "migration-that-destroys",
    good: false,
    change: ({ write }) => write("migrations/0001_gone.sql", "DROP TABLE member;\n"),
  },
  {
    name: "migration-that-rows-let-fail",
    good: false,
    change: ({ write }) =>
      write("migrations/0001_unique.sql", "CREATE UNIQUE INDEX member_name ON member (name);\n"),
  },
  {
    name: "dependency",
    good: true,
    change: ({ write }) => write("docs/bundle.md", "One module of **607.5 KiB** minified\n"),
  },
  {
    name: "another-provider",
    good: true,
    change: ({ edit }) => edit(line("aws:region: eu-central-1")),
  },
]

// A reviewer reads Cloudflare's own words.
const cloudflare = await startLocalCloudflare({})
afterAll(() => cloudflare[Symbol.asyncDispose]())

let accounts = 0

const { signal } = new AbortController()

/** In the one local Cloudflare, in which names must not meet. */
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

/** As the command does. */
async function reviewAndRehearse(root: string) {
  const found = await review(root, "main", { environment: {} })
  const rehearsal = await rehearseNew(found.migrations, {
    root,
    base: "main",
    rows: 20,
    readUse,
    openAccount: openScratch,
    say: () => {},
    signal,
  })
  return { ...found, rehearsal }
}

test.each(edits)("a reviewer reads what an edit does: $name", async ({ name, good, change }) => {
  using repository = createRepository()
  change(repository)
  await repository.commit("Change")
  const reviewed = await reviewAndRehearse(repository.root)
  // A commit has another hash each time.
  const text = reviewText(reviewed).replace(/(each table of `)[0-9a-f]{12}/, "$1012345678901")
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.txt`)
  expect(isGood(reviewed)).toBe(good)
  expectNoLeak(text + JSON.stringify(reviewed), { canary: "canary-in-clear" })
})

test.each(secretPlaces)("neither the comment nor --json holds $title", async ({ change }) => {
  using repository = createRepository()
  repository.edit(change)
  await repository.commit("Change")
  const reviewed = await review(repository.root, "main", { environment: {} })
  expect(isGood(reviewed)).toBe(false)
  expectNoLeak(reviewText(reviewed) + JSON.stringify(reviewed), { canary })
})

test("a stack file that was not rendered again, and an edited migration, are refused", async () => {
  using repository = createRepository()
  repository.edit(set("crons", ["5 4 * * *"]))
  repository.write("migrations/0000_member.sql", `${first}-- edited\n`)
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
  await repository.commit("Change")
  const found = await review(repository.root, "main", { environment: {} })
  const rehearsal = await rehearseNew(found.migrations, {
    root: repository.root,
    base: "main",
    rows: 20,
    readUse,
    openAccount: () => Promise.reject(new Error("no port is free")),
    say: () => {},
    signal,
  })
  expect(isGood(found)).toBe(true)
  expect(isGood({ ...found, rehearsal })).toBe(false)
  expect(reviewText({ ...found, rehearsal })).toContain("Not rehearsed: `no port is free`")
})

test("text of a branch is neither a mention nor a link nor HTML in the comment", async () => {
  using repository = createRepository()
  const reason = "`@acme/ops` <img src=x> [x](https://evil.com) of acme"
  repository.edit(all(set("protect", false), set(["accept"], { R44: reason })))
  await repository.commit("Change")
  const text = reviewText(await review(repository.root, "main", { environment: {} }))
  const outside = text.replaceAll(/```diff[^]*?\n```/g, "").replaceAll(/`[^`\n]*`/g, "")
  expect(outside).not.toMatch(/@acme|<img|evil\.com/)
})

test("the command needs nothing but a clone", async () => {
  await using checkout = copyCheckout()
  const run = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [join(checkout.directory, "packages/tools/cli/main.js"), "review", ...args],
      {
        cwd: checkout.directory,
        env: { PATH: process.env["PATH"] },
        encoding: "utf8",
      },
    )
  const { status, stdout } = run("--base", "main")
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("| hosts ") })
  expect(run("--base", "nowhere")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("nowhere"),
  })
})
