import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { afterAll, beforeAll, expect, test } from "vitest"
import { stringify } from "yaml"
import * as z from "zod"

import { isGone } from "../cli/process/is-alive.ts"
import type { LocalCloudflare } from "../cli/process/local-cloudflare.ts"
import { accountContents, emptyAccount } from "./testing/account-contents.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { killUpAt } from "./testing/engine/kill-up.ts"
import { providersNode, unexplained } from "./testing/engine/plugin-environment.ts"
import { readShellValues } from "./testing/engine/pulumi-cli.ts"
import { openSpy } from "./testing/engine/spy.ts"
import { readTree } from "./testing/read-tree.ts"
import { expectNoLeak } from "./testing/secret-forms.ts"

const canary = "canary-0123456789abcdef-0123456789abcdef"
const passphrase = "passphrase-0123456789abcdef"

/** One journey on a staging-shaped stack, whose state is in a directory that is not of `local`. */
let checkout: Checkout
let cloudflare: LocalCloudflare
const environment: Record<string, string> = {}
let backend = ""
let temporary = ""

beforeAll(async () => {
  checkout = copyCheckout({ environment })
  const { joinOrStart } = await import(join(checkout.directory, "cli/process/local-cloudflare.ts"))
  cloudflare = await joinOrStart({ state: checkout.state, apiPort: 0, port: 0 })
  // On a real machine the engine and the plugins are the caller's own.
  Object.assign(environment, await readShellValues(checkout))
  backend = join(checkout.directory, ".backend")
  temporary = join(checkout.directory, ".temporary")
  for (const directory of [backend, temporary]) mkdirSync(directory)
  environment["PULUMI_BACKEND_URL"] = pathToFileURL(backend).href
  Object.assign(environment, { TMPDIR: temporary, PULUMI_CONFIG_PASSPHRASE: passphrase })
  checkout.edit("environments/Pulumi.staging.yaml", () => stringify({ config: configuration() }))
  pulumi("stack", "init", "staging")
  const key = "accounts:secrets.AUTH_SECRET"
  pulumi("config", "set", "--secret", "--path", key, { input: canary })
})

afterAll(async () => {
  await cloudflare?.stop()
  await checkout?.[Symbol.asyncDispose]()
})

function configuration() {
  return {
    "cloudflare:baseUrl": cloudflare.api,
    "accounts:fixture": true,
    "accounts:environment": "staging",
    "accounts:accountId": cloudflare.accountId,
    "accounts:zone": "accounts.test",
    "accounts:apiOrigin": "https://api.staging.accounts.test",
    "accounts:webOrigin": "https://app.staging.accounts.test",
    "accounts:cookieDomain": "staging.accounts.test",
    "accounts:verifyEmail": false,
    "accounts:location": "weur",
    "accounts:connectTo": cloudflare.edge,
  }
}

type Input = { input: string }

/** The ordinary command in the checkout, on the stack `staging`. */
function pulumi(...args: (string | Input)[]): string {
  const words = args.filter((one) => typeof one === "string")
  const input = args.find((one) => typeof one === "object")?.input ?? ""
  const stack = words[0] === "stack" && words[1] === "init" ? [] : ["--stack", "staging"]
  return execFileSync("pulumi", [...words, ...stack, "--non-interactive"], {
    cwd: checkout.directory,
    env: { ...process.env, ...environment },
    input,
    encoding: "utf8",
  })
}

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
  const file = join(backend, ".pulumi/stacks/accounts/staging.json")
  return State.parse(JSON.parse(readFileSync(file, "utf8"))).checkpoint.latest
}

function lockFiles() {
  const directory = join(backend, ".pulumi/locks/organization/accounts/staging")
  const names = readdirSync(directory).filter((name) => name.endsWith(".json"))
  return names.map((name) => join(directory, name))
}

function repair(...args: string[]) {
  return checkout.run("repair", "-s", "staging", ...args)
}

const Ids = z.array(z.looseObject({ uuid: z.string().optional(), id: z.string().optional() }))

async function idsOf(path: string) {
  const response = await fetch(`${cloudflare.api}/accounts/${cloudflare.accountId}/${path}`, {
    headers: { authorization: `Bearer ${cloudflare.token}` },
  })
  const { result } = z.object({ result: Ids }).parse(await response.json())
  return result.map(({ uuid, id }) => uuid ?? id)
}

test("a run that was killed is named by the next one, and so is the way to free the stack", async () => {
  const paths = ["d1/database", "workers/workers"]
  await killUpAt({ checkout, cloudflare }, { stack: "staging", paths })
  const { code, stderr } = await checkout.run("up", "-s", "staging", "--yes")
  expect(code).toBe(1)
  const holder = `process \\d+ of ${userInfo().username} on ${hostname()} since 20\\S+ \\(lock \\S+\\)`
  // Within a container nobody knows whether the run was in another one of the same host name.
  const way = isGone(2 ** 22 + 1)
    ? ", which was killed\\. Free it: ./accounts repair -s staging\n"
    : "\\. Wait .* free the stack: ./accounts repair -s staging --lock \\S+\n"
  expect(stderr).toMatch(new RegExp(`error: The stack staging is locked by ${holder}${way}`))
  expect(stderr).not.toMatch(/^\s+at /m)
})

test("a lock of another machine goes only when its id is typed", async () => {
  const [file = ""] = lockFiles()
  const id = /([^/]+)\.json$/.exec(file)?.[1] ?? ""
  const lock = readFileSync(file, "utf8")
  writeFileSync(file, lock.replace(/"hostname":"[^"]*"/, '"hostname":"runner-3"'))
  const way = `free the stack: ./accounts repair -s staging --lock ${id}`
  for (const command of [
    () => repair(),
    () => repair("--lock", "another"),
    () => checkout.run("up", "-s", "staging", "--yes"),
  ]) {
    const { code, stdout, stderr } = await command()
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`on runner-3 since`)
    expect(stderr).toContain(way)
  }
  expect(lockFiles()).toEqual([file])
  expect(storedState().pending_operations).not.toHaveLength(0)

  using spy = openSpy(temporary)
  const { code, stdout, stderr } = await repair("--lock", id, "--json")
  expect(code, stderr).toBe(0)
  const done = z
    .object({ locks: z.literal(1), adopted: z.array(z.string()), cleared: z.array(z.string()) })
    .parse(JSON.parse(stdout))
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
  const [database] = await idsOf("d1/database")
  const [worker] = await idsOf("workers/workers")
  for (const [type, id, outputs] of [
    ["D1Database", database, { uuid: database, primaryLocationHint: "weur" }],
    ["Worker", worker, { name: "accounts-staging", createdOn: expect.any(String) }],
  ] as const) {
    const stored = resources.find((resource) => resource.type.endsWith(`:${type}`))
    expect(stored).toMatchObject({ id, protect: true, custom: true, outputs })
    expect(urns).toContain(stored?.["parent"])
    expect(providers).toContain(stored?.["provider"])
  }
})

test("up goes on with what was taken in, and no secret shows in a file, an argument or an environment", async () => {
  const before = [await idsOf("d1/database"), await idsOf("workers/workers")]
  using spy = openSpy(temporary)
  const up = await checkout.succeed("up", "-s", "staging", "--yes", "--json")
  const { changes, outputs } = z
    .object({ changes: z.record(z.string(), z.number()), outputs: z.record(z.string(), z.any()) })
    .parse(JSON.parse(up.stdout))
  expect(Object.keys(changes).toSorted()).toEqual(["create", "same"])
  expect(outputs["url"]).toBe("https://api.staging.accounts.test")
  expect([await idsOf("d1/database"), await idsOf("workers/workers")]).toEqual(before)
  expectNoLeak(spy.text(), { canary })
  expect(unexplained(spy.holders(canary))).toEqual([])
  // Whoever has the passphrase can open the seals: the command, the engine, and what they start.
  const holders = spy.holders(passphrase).flatMap(({ certain }) => certain)
  expect(holders.join("\n")).toMatch(/\/pulumi up /)
  expect(holders.join("\n")).not.toMatch(providersNode)
  const kept = [backend, join(checkout.directory, "environments")].map(readTree).join("\n")
  expect(kept).toContain("accounts-staging")
  expectNoLeak(kept, { canary })
})

test("plan, up and destroy follow Pulumi's rules: yes, exit codes, protection", async () => {
  const same = await checkout.succeed("plan", "-s", "staging", "--expect-no-changes", "--json")
  expect(Object.keys(JSON.parse(same.stdout).changes)).toEqual(["same"])
  checkout.edit("app/worker.ts", (text) => `${text}\n// changed\nglobalThis.name = "changed"\n`)
  const planned = await checkout.run("plan", "-s", "staging", "--refresh", "--expect-no-changes")
  expect(planned.code).toBe(1)
  expect(planned.stdout).toMatch(/~ update release \S+: versionId/)
  expect(planned.stderr).toMatch(/warning: staging gets changes that are not committed: /)
  const detailed = await checkout.succeed("plan", "-s", "staging", "--diff")
  expect(detailed.stderr).toMatch(/\[urn=urn:pulumi:staging::accounts::/)

  for (const verb of ["up", "destroy"]) {
    const { code, stderr, stdout } = await checkout.run(verb, "-s", "staging")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/Confirm with --yes/)
  }
  const before = storedState().resources.length
  const refused = await checkout.run("destroy", "-s", "staging", "--yes")
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/protect/)
  expect(refused.stderr).toContain("Nothing was deleted. What is protected can be after an `up`")
  expect(refused.stderr).not.toMatch(/^\s+at /m)
  // Not even what the engine would have come to first.
  expect(storedState().resources).toHaveLength(before)
  expect(await idsOf("d1/database")).toHaveLength(1)

  pulumi("state", "unprotect", "--all", "--yes")
  const gone = await checkout.succeed("destroy", "-s", "staging", "--yes", "--json")
  expect(Object.keys(JSON.parse(gone.stdout).changes)).toEqual(["delete"])
  expect(await accountContents(cloudflare)).toEqual(emptyAccount)
})

test("a wrong token, account or zone is said in a sentence with the fix", async () => {
  const file = "environments/Pulumi.staging.yaml"
  const right = readFileSync(join(checkout.directory, file), "utf8")
  const { CLOUDFLARE_API_TOKEN: token = "" } = environment
  for (const [from, to, reason] of [
    [token, "wrong", /Invalid access token|Authentication error|Unauthorized/],
    [cloudflare.accountId, "0123456789abcdef0123456789abcdef", /./],
    ["accounts.test", "accounts.example", /No zone matches|not find|no result|has no zone/],
  ] as const) {
    environment["CLOUDFLARE_API_TOKEN"] = token.replace(from, to)
    checkout.edit(file, () => right.replaceAll(from, to))
    const { code, stderr } = await checkout.run("plan", "-s", "staging")
    expect(code, stderr).toBe(1)
    expect(stderr).toMatch(
      /error: (?:Preview failed: )?The zone \S+ of the account \S+ cannot be looked up: ./,
    )
    expect(stderr).toMatch(reason)
    expect(stderr).toMatch(/Check CLOUDFLARE_API_TOKEN, accounts:accountId and accounts:zone/)
    expect(stderr).not.toMatch(/^\s+at |unhandled|Promise \{/im)
  }
  environment["CLOUDFLARE_API_TOKEN"] = token
  checkout.edit(file, () => right)
})

test("a stack that the backend does not have is not created", async () => {
  checkout.edit("environments/Pulumi.production.yaml", () =>
    stringify({
      config: {
        ...configuration(),
        "accounts:environment": "production",
        "accounts:secrets": { AUTH_SECRET: { secure: "x" } },
      },
    }),
  )
  for (const verb of ["plan", "repair"]) {
    const { code, stderr } = await checkout.run(verb, "-s", "production")
    expect(code).toBe(1)
    expect(stderr).toMatch(/no stack named '?production'? found/)
    expect(stderr).toMatch(/Create it: pulumi stack init production/)
    expect(stderr).not.toMatch(/^\s+at /m)
  }
})
