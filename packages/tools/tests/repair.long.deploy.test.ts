import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname, userInfo } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"
import { stringify } from "yaml"
import * as z from "zod"

import { hasExited } from "../cli/process/is-alive.ts"
import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { killUpAt } from "./testing/engine/kill-up.ts"
import { providersNode, unexplained } from "./testing/engine/plugin-environment.ts"
import { openSpy } from "./testing/engine/spy.ts"
import { readTree } from "./testing/read-tree.ts"
import { s3Missing, startS3 } from "./testing/s3-server.ts"
import { expectNoLeak } from "./testing/secrets/secret-forms.ts"
import {
  canary,
  openStagingSite,
  passphrase,
  type StagingSite,
} from "./testing/stacks/staging-site.ts"
import { watchBuilds } from "./testing/watch-builds.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

/** The tests are one journey: each continues with the stack that the previous one left. */
let site: StagingSite

beforeAll(async () => {
  site = await openStagingSite()
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

const State = z.object({
  checkpoint: z.object({
    latest: z.object({
      resources: z.array(
        z.looseObject({ urn: z.string(), id: z.string().optional(), type: z.string() }),
      ),
      pending_operations: z.array(z.unknown()).optional(),
    }),
  }),
})

function storedState() {
  const file = join(site.backend, ".pulumi/stacks/accounts/staging.json")
  return State.parse(JSON.parse(readFileSync(file, "utf8"))).checkpoint.latest
}

function lockFiles() {
  const directory = join(site.backend, ".pulumi/locks/organization/accounts/staging")
  const names = readdirSync(directory).filter((name) => name.endsWith(".json"))
  return names.map((name) => join(directory, name))
}

test("a run that was killed is named by the next one, and so is the way to free the stack", async () => {
  const paths = ["d1/database", "workers/workers"]
  await killUpAt(site, { stack: "staging", paths })
  const { code, stderr } = await site.up()
  expect(code).toBe(1)
  const holder = `process \\d+ of ${userInfo().username} on ${hostname()} since 20\\S+ \\(lock \\S+\\)`
  // The holder may have run in another container with the same host name.
  const way = hasExited(2 ** 22 + 1)
    ? ", which runs no longer\\. Run again, and if it is still locked, free it: ./accounts repair -s staging\n"
    : "\\. Wait .* free the stack: ./accounts repair -s staging --unlock\n"
  expect(stderr).toMatch(new RegExp(`error: The stack staging is locked by ${holder}${way}`))
  expect(stderr).not.toMatch(/^\s+at /m)
})

test("a lock of another machine goes only when its run is said to be gone, and what may be another's only by adopt", async () => {
  const [file = ""] = lockFiles()
  const lock = readFileSync(file, "utf8")
  writeFileSync(file, lock.replace(/"hostname":"[^"]*"/, '"hostname":"runner-3"'))
  const way = "free the stack: ./accounts repair -s staging --unlock"
  for (const command of [() => site.repair(), () => site.up()]) {
    const { code, stdout, stderr } = await command()
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`on runner-3 since`)
    expect(stderr).toContain(way)
  }
  expect(lockFiles()).toEqual([file])
  expect(storedState().pending_operations).not.toHaveLength(0)

  // Simulates a database that another client made and used.
  const [database = ""] = await site.idsOf("d1/database")
  await site.account.query(database, "CREATE TABLE theirs (id TEXT)")
  const doubtful = await site.repair("--unlock")
  expect(doubtful.code).toBe(1)
  expect(doubtful.stderr).toContain(
    `database accounts-staging (${database}): it has tables already, such as theirs\n` +
      `If it is the stack's own, take it over: ./accounts repair --adopt -s staging\n`,
  )
  expect(lockFiles()).toEqual([])
  expect(storedState().pending_operations).not.toHaveLength(0)

  using spy = openSpy(site.temporary)
  const { code, stdout, stderr } = await site.adopt("--yes", "--json")
  expect(code, stderr).toBe(0)
  const done = z.object({ adopted: z.array(z.string()) }).parse(JSON.parse(stdout))
  await site.account.query(database, "DROP TABLE theirs")
  const kinds = done.adopted.map((urn) => urn.split("::")[2]?.split(":").at(-1))
  expect(new Set(kinds)).toEqual(new Set(["D1Database", "Worker"]))
  expectNoLeak(spy.text(), { canary })
  expect(unexplained(spy.holders(canary))).toEqual([])
  // An engine says its version in a home of its own.
  expect(spy.files().filter((name) => !name.startsWith("accounts-engine-"))).toEqual([])
})

test("what was taken in has its parent, provider, protection and outputs, as if its creation had ended", async () => {
  const { resources, pending_operations: pending = [] } = storedState()
  expect(pending).toEqual([])
  const urns = resources.map(({ urn }) => urn)
  const providers = resources
    .filter(({ type }) => type.startsWith("pulumi:providers:"))
    .map(({ urn, id }) => `${urn}::${id}`)
  const [database] = await site.idsOf("d1/database")
  const [worker] = await site.idsOf("workers/workers")
  for (const [type, id, outputs] of [
    ["D1Database", database, { uuid: database }],
    ["Worker", worker, { name: "accounts-staging", createdOn: expect.any(String) }],
  ] as const) {
    const stored = resources.find((resource) => resource.type.endsWith(`:${type}`))
    expect(stored).toMatchObject({ id, protect: true, custom: true, outputs })
    expect(urns).toContain(stored?.["parent"])
    expect(providers).toContain(stored?.["provider"])
  }
})

test("up goes on with what was taken in and builds once, and no secret shows in a file, an argument or an environment", async () => {
  const before = [await site.idsOf("d1/database"), await site.idsOf("workers/workers")]
  using spy = openSpy(site.temporary)
  using builds = watchBuilds(site.checkout.directory)
  const up = await site.checkout.succeed("up", "-s", "staging", "--yes", "--json")
  expect(builds.count()).toBe(1)
  const { changes, outputs } = z
    .object({ changes: z.record(z.string(), z.number()), outputs: z.record(z.string(), z.any()) })
    .parse(JSON.parse(up.stdout))
  expect(Object.keys(changes).toSorted()).toEqual(["create", "same"])
  expect(outputs["url"]).toBe("https://api.staging.accounts.test")
  expect([await site.idsOf("d1/database"), await site.idsOf("workers/workers")]).toEqual(before)
  expectNoLeak(spy.text(), { canary })
  expect(unexplained(spy.holders(canary))).toEqual([])
  // Holders of the passphrase can open the seals: the command, the engine, and their children.
  const holders = spy.holders(passphrase).flatMap(({ certain }) => certain)
  expect(holders.join("\n")).toMatch(/\/pulumi up /)
  expect(holders.join("\n")).not.toMatch(providersNode)
  const environments = join(site.checkout.directory, "environments")
  const written = [site.backend, environments].map(readTree).join("\n")
  expect(written).toContain("accounts-staging")
  expectNoLeak(written, { canary })
})

test("plan, up and destroy follow Pulumi's rules: yes, exit codes, protection", async () => {
  const run = await site.checkout.succeed("plan", "-s", "staging", "--expect-no-changes", "--json")
  expect(Object.keys(JSON.parse(run.stdout).changes)).toEqual(["same"])
  site.checkout.edit(
    "app/worker.ts",
    (text) => `${text}\n// changed\nglobalThis.name = "changed"\n`,
  )
  const planned = await site.checkout.run("plan", "-s", "staging", "--expect-no-changes")
  expect(planned.code).toBe(1)
  expect(planned.stdout).toMatch(/~ update release \S+: versionId/)
  expect(planned.stderr).toMatch(/warning: staging gets changes that are not committed: /)
  const detailed = await site.checkout.succeed("plan", "-s", "staging", "--diff")
  expect(detailed.stderr).toMatch(/\[urn=urn:pulumi:staging::accounts::/)

  for (const verb of ["up", "destroy"]) {
    const { code, stderr, stdout } = await site.checkout.run(verb, "-s", "staging")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/Confirm with --yes/)
  }
  const updated = await site.checkout.succeed("up", "-s", "staging", "--yes")
  expect(updated.stderr.match(/changes that are not committed/g)).toHaveLength(1)
  const before = storedState().resources.length
  const refused = await site.checkout.run("destroy", "-s", "staging", "--yes")
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/protect/) })
  expect(refused.stderr).toContain(
    "Nothing was deleted. What is protected can be deleted after an `up`",
  )
  expect(refused.stderr).not.toMatch(/^\s+at /m)
  // Not even what the engine would have come to first.
  expect(storedState().resources).toHaveLength(before)
  expect(await site.idsOf("d1/database")).toHaveLength(1)

  site.pulumi("state", "unprotect", "--all", "--yes")
  const destroyed = await site.checkout.succeed("destroy", "-s", "staging", "--yes", "--json")
  expect(Object.keys(JSON.parse(destroyed.stdout).changes)).toEqual(["delete"])
  expect(await accountContents(site.cloudflare)).toEqual(emptyAccount)
})

test("a wrong token, account or zone is said in a sentence with the fix", async () => {
  const file = "environments/Pulumi.staging.yaml"
  const right = readFileSync(join(site.checkout.directory, file), "utf8")
  const { CLOUDFLARE_API_TOKEN: token = "" } = site.environment
  for (const [from, to, reason] of [
    [token, "wrong", /Invalid access token|Authentication error|Unauthorized/],
    ["accounts.test", "accounts.example", /No zone matches|not find|no result|has no zone/],
  ] as const) {
    site.environment["CLOUDFLARE_API_TOKEN"] = token.replace(from, to)
    site.checkout.edit(file, () => right.replaceAll(from, to))
    const { code, stderr } = await site.checkout.run("plan", "-s", "staging")
    expect(code, stderr).toBe(1)
    expect(stderr).toMatch(
      /error: (?:Preview failed: )?The zone \S+ of the account \S+ cannot be looked up: ./,
    )
    expect(stderr).toMatch(reason)
    expect(stderr).toMatch(/Check CLOUDFLARE_API_TOKEN, accounts:accountId and accounts:zone/)
    expect(stderr).not.toMatch(/^\s+at |unhandled|Promise \{/im)
  }
  site.environment["CLOUDFLARE_API_TOKEN"] = token
  const otherAccount = "0123456789abcdef0123456789abcdef"
  site.checkout.edit(file, () => right.replaceAll(site.cloudflare.accountId, otherAccount))
  const { code, stderr } = await site.checkout.run("plan", "-s", "staging")
  expect(code, stderr).toBe(1)
  expect(stderr).toMatch(/^error: GET .*: the token lacks Account › .*, or is of another account$/m)
  expect(stderr).not.toMatch(/^\s+at |unhandled|Promise \{/im)
  site.checkout.edit(file, () => right)
})

test("a stack that the backend does not have is not created", async () => {
  site.checkout.edit("environments/Pulumi.production.yaml", () =>
    stringify({
      config: {
        ...site.configuration,
        "accounts:environment": "production",
        "accounts:secrets": { AUTH_SECRET: { secure: "x" } },
      },
    }),
  )
  for (const verb of ["plan", "repair"]) {
    const { code, stderr } = await site.checkout.run(verb, "-s", "production")
    expect(code).toBe(1)
    expect(stderr).toMatch(/no stack named '?production'? found/)
    expect(stderr).toMatch(/Create it: pulumi stack init production/)
    expect(stderr).not.toMatch(/^\s+at /m)
  }
})

test.skipIf(missing !== undefined)(
  `a first up in a bucket that is killed is repaired, ends, and is destroyed [bucket]${note}`,
  async () => {
    await using bucket = await startS3("state")
    Object.assign(site.environment, {
      PULUMI_BACKEND_URL: `s3://state?endpoint=${bucket.url}&region=auto&s3ForcePathStyle=true`,
      AWS_ACCESS_KEY_ID: "a-key",
      AWS_SECRET_ACCESS_KEY: "its-secret",
    })
    site.pulumi("stack", "init", "staging")
    await killUpAt(site, { stack: "staging", paths: ["d1/database", "workers/workers"] })
    const created = [await site.idsOf("d1/database"), await site.idsOf("workers/workers")]
    const folder = ".pulumi/locks/organization/accounts/staging"
    const lockFile = `${folder}/other.json`
    const timestamp = "2026-11-22T03:00:00Z"
    const holder = { pid: 1, username: "ada", hostname: "runner-3", timestamp }
    expect(await bucket.object(lockFile, JSON.stringify(holder))).toBe(200)
    const repaired = await site.repair("--unlock", "--json")
    expect(repaired.code, repaired.stderr).toBe(0)
    const adopted = [expect.any(String), expect.any(String)]
    expect(JSON.parse(repaired.stdout)).toMatchObject({ locks: 2, adopted })
    await site.checkout.succeed("up", "-s", "staging", "--yes")
    expect([await site.idsOf("d1/database"), await site.idsOf("workers/workers")]).toEqual(created)
    site.pulumi("state", "unprotect", "--all", "--yes")
    await site.checkout.succeed("destroy", "-s", "staging", "--yes")
    expect(await accountContents(site.cloudflare)).toEqual(emptyAccount)
    // The engine does not name a damaged lock.
    expect(await bucket.object(lockFile, '{"pid":')).toBe(200)
    expect((await site.repair("--unlock")).code).toBe(0)
    expect(await bucket.object(lockFile)).toBe(404)
  },
)
