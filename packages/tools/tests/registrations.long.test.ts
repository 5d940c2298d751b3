import { mkdtempSync } from "node:fs"
import { rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"
import { runByCommand, runInline } from "./testing/engine/language-host.ts"
import { answers, configOf, record } from "./testing/engine/recorded-program.ts"
import { createRecordingEngine } from "./testing/engine/recording-engine.ts"
import { resolveEsc } from "./testing/pulumi-esc.ts"

const root = join(import.meta.dirname, "../../..")
const main = join(root, "infra", "main.js")
const inline = join(root, "infra", "index.ts")

const local = { stack: "local", config: configOf("local", { root }), secretKeys: [] }

const production = {
  stack: "production",
  config: configOf("production", {
    root,
    overrides: {
      // Its own hosts, whatever those of the committed file are, and no account to be compared with it.
      "accounts:fixture": true,
      "cloudflare:baseUrl": "http://127.0.0.1:8790/client/v4",
      "accounts:accountId": "0123456789abcdef0123456789abcdef",
      "accounts:zone": "example.com",
      "accounts:apiOrigin": "https://api.example.com",
      "accounts:webOrigin": "https://app.example.com",
      "accounts:cookieDomain": "example.com",
      "accounts:trustedOrigins": ["https://app.example.com", "https://api.example.com"],
      "accounts:mailUrl": "https://mail.example.com/send",
      "accounts:routes": ["example.com/api/*"],
      "accounts:crons": ["*/5 * * * *"],
      "accounts:secrets": { AUTH_SECRET: "0123456789abcdef0123456789abcdef" },
    },
  }),
  secretKeys: ["accounts:secrets"],
}

function types(resources: Record<string, object>) {
  return Object.keys(resources).map((urn) => urn.split("::")[2]?.split("$").at(-1))
}

test.each([
  { ...local, dryRun: false },
  { ...production, dryRun: true },
])(
  "the ordinary CLI and the Automation API register the same $stack resources (preview: $dryRun)",
  async (options) => {
    const [byCommand, byInline] = await Promise.all([
      record(options, (run) => runByCommand(main, run)),
      record(options, (run) => runInline(inline, run)),
    ])
    // This problem depends on the working tree.
    const problems = byCommand.problems.filter((text) => !text.startsWith("production gets "))
    expect(problems).toEqual([])
    expect(byInline).toEqual(byCommand)
    expect(types(byCommand.resources)).toEqual(
      expect.arrayContaining([
        "pulumi:pulumi:Stack",
        "pulumi:providers:accounts",
        "cloudflare:index/d1Database:D1Database",
        "accounts:index:Migrations",
        "cloudflare:index/worker:Worker",
        "accounts:index:Version",
        "accounts:index:Release",
        "cloudflare:index/workersCustomDomain:WorkersCustomDomain",
        "accounts:index:Verification",
      ]),
    )
  },
)

test("a program of the ordinary CLI that loses its engine at any resource fails, and does not say that it is done", async () => {
  const { resources } = await record({ ...local, dryRun: false }, (run) => runByCommand(main, run))
  for (const losing of [1, 2, 3, Object.keys(resources).length]) {
    using engine = await createRecordingEngine({ ...local, dryRun: false, answers, losing })
    const run = { ...local, dryRun: false, engine: engine.address }
    await expect(runByCommand(main, run), `registration ${losing}`).rejects.toThrow(
      /exited with [1-9]/,
    )
    expect(engine.recording().signals).toBe(0)
  }
})

test("the values of the environment of Pulumi ESC reach the program as the engine passes them", async () => {
  const { pulumiConfig, environmentVariables } = resolveEsc(
    join(root, "environments/esc/production.yaml"),
    {
      "accounts/production/auth-secret": "of-esc-0123456789abcdef0123456789abcdef",
      "accounts/production/cloudflare-token": "a-token",
    },
  )
  expect(environmentVariables).toEqual({
    CLOUDFLARE_API_TOKEN: "a-token",
    AWS_ACCESS_KEY_ID: "arn:aws:iam::123456789012:role/accounts-production",
    AWS_SECRET_ACCESS_KEY: "short",
    AWS_SESSION_TOKEN: "1h",
  })
  // The engine treats any value that contains an opened secret as secret.
  const imported = Object.entries(pulumiConfig)
  const config = {
    ...production.config,
    ...Object.fromEntries(imported.map(([key, value]) => [key, JSON.stringify(value)])),
  }
  const options = { ...production, config, dryRun: false, secretKeys: Object.keys(pulumiConfig) }
  const { resources, problems } = await record(options, (run) => runByCommand(main, run))
  expect(problems.filter((text) => !text.startsWith("production gets "))).toEqual([])
  const [, version] = Object.entries(resources).find(([urn]) => urn.includes(":Version::")) ?? []
  expect(JSON.stringify(version)).toMatch(
    /"AUTH_SECRET":\{"\w{32}":"\w{32}","value":\{"text":"of-esc-/,
  )
})

function fixture(inputs: string) {
  return `import * as pulumi from "@pulumi/pulumi"

class Thing extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("fixture:index:Thing", name, args, options)
  }
}

export async function program() {
  const first = new Thing("first", ${inputs}, { protect: true })
  new Thing("second", { first: first.id, secret: pulumi.secret("s") }, { parent: first })
  return { first: first.id }
}
`
}

/** Records the fixture program, run both ways. */
async function recordFixture(inputs: string) {
  const directory = mkdtempSync(join(tmpdir(), "registrations-"))
  try {
    await symlink(join(root, "node_modules"), join(directory, "node_modules"))
    await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module" }))
    await writeFile(join(directory, "index.js"), fixture(inputs))
    await writeFile(
      join(directory, "main.js"),
      `import { program } from "./index.js"\nexport default program\n`,
    )
    const options = { stack: "local", config: {}, secretKeys: [], dryRun: false }
    return await Promise.all([
      record(options, (run) => runByCommand(join(directory, "main.js"), run)),
      record(options, (run) => runInline(join(directory, "index.js"), run)),
    ])
  } finally {
    await rm(directory, { recursive: true })
  }
}

test("the recording contains inputs, options and outputs, so that a difference shows", async () => {
  const [byCommand, byInline] = await recordFixture(`{ directory: process.cwd() }`)
  const urn = "urn:pulumi:local::accounts::fixture:index:Thing::first"
  expect(byCommand.resources[urn]).toMatchObject({ custom: true, protect: true })
  expect(
    byCommand.outputs["urn:pulumi:local::accounts::pulumi:pulumi:Stack::accounts-local"],
  ).toEqual({ first: "id of first" })
  expect(byInline.outputs).toEqual(byCommand.outputs)
  expect(byInline.resources).not.toEqual(byCommand.resources)

  const [first, second] = await recordFixture(`{ directory: "the same" }`)
  expect(first).toEqual(second)
  expect(Object.keys(first.resources)).toHaveLength(3)
})

test("a resource of Cloudflare's beside the components is one line of infra/index.ts, and its import", async () => {
  await using checkout = copyCheckout()
  const inCopy = join(checkout.directory, "infra/main.js")
  const before = await record({ ...local, dryRun: false }, (run) => runByCommand(inCopy, run))
  checkout.edit("infra/index.ts", (text) =>
    `import { D1Database as D1 } from "@pulumi/cloudflare/d1database.js"\n${text}`.replace(
      "  return {\n",
      '  new D1("reports", { accountId: deployment.environment.accountId, name: "reports" })\n$&',
    ),
  )
  const after = await record({ ...local, dryRun: false }, (run) => runByCommand(inCopy, run))
  const added = Object.keys(after.resources).filter((urn) => !(urn in before.resources))
  expect(added).toEqual([
    "urn:pulumi:local::accounts::cloudflare:index/d1Database:D1Database::reports",
  ])
  expect(after.resources).toMatchObject(before.resources)
  expect(after.problems).toEqual([])
})
