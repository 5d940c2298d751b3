import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../base/root.ts"
import { workflowNames } from "../../tests/testing/workflow.ts"
import { type Held, openFakeGitHub } from "./testing/fake-github.ts"
import { workflowNeeds } from "./workflow-needs.ts"

const withoutToken = { GH_TOKEN: "", GITHUB_TOKEN: "", GITHUB_REPOSITORY: "acme/accounts" }

async function run(args: string[], env: Record<string, string>) {
  const program = join(root, "packages/tools/cli/main.js")
  const child = spawn(process.execPath, [program, "github", ...args], {
    cwd: root,
    env: { ...process.env, ...withoutToken, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [out, err] = [new Array<Buffer>(), new Array<Buffer>()]
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }
}

function filler(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `A_${index}`)
}

/** Everything that a bucket as backend needs, behind a page of other names. */
function complete(prefix = ""): Held {
  const secrets = ["CLOUDFLARE_API_TOKEN", "PULUMI_CONFIG_PASSPHRASE"].map((name) => prefix + name)
  return {
    secrets: [...filler(100), ...secrets],
    variables: {
      ...Object.fromEntries(filler(30).map((name) => [name, "any"])),
      [`${prefix}PULUMI_BACKEND_URL`]: "s3://state",
    },
  }
}

const names = [
  "staging",
  "production",
  "production-plan",
  "production-backup",
  "production-restore",
  "preview",
]

function environmentsOf(left: string[]): Record<string, Held> {
  return Object.fromEntries(
    left.map((name) => [name, complete(name === "preview" ? "PREVIEW_" : "")]),
  )
}

test("every setting that a workflow's text names is asked for, of the environment of its job", () => {
  const needs = workflowNeeds(root)
  expect(new Set(needs.map(({ environment }) => environment))).toEqual(new Set(names))
  for (const name of workflowNames) {
    const text = readFileSync(join(root, `.github/workflows/${name}.yml`), "utf8")
    const named = text.replaceAll(/^\s*#.*$/gm, "").matchAll(/\b(secrets|vars)\.(\w+)/g)
    const own = needs.filter(({ workflows }) => workflows.includes(`${name}.yml`))
    const asked = new Set(
      own.flatMap((one) => one.settings.map((setting) => `${setting.kind} ${setting.name}`)),
    )
    const expected = Array.from(named, ([, context, key]) => {
      return `${context === "vars" ? "variable" : "secret"} ${key}`
    })
    expect(
      expected.filter((one) => !asked.has(one)),
      name,
    ).toEqual([])
  }
  const preview = needs.find(({ environment }) => environment === "preview")
  expect(preview?.settings.every(({ name }) => name.startsWith("PREVIEW_"))).toBe(true)
  expect(preview?.workflows).toEqual(["preview.yml", "sweep.yml"])
})

test("what is set beyond the first page is found, and nothing is lacking", async () => {
  await using github = await openFakeGitHub({ environments: environmentsOf(names) })
  const done = await run(["--json"], { GH_TOKEN: "right", GITHUB_API_URL: github.url })
  expect(done).toMatchObject({ code: 0, err: "" })
  const { asked, environments } = JSON.parse(done.out)
  expect(asked).toBe(true)
  expect(environments).toHaveLength(names.length)
  const staging = environments.find((one: { environment: string }) => one.environment === "staging")
  expect(staging).toMatchObject({
    exists: true,
    refused: [],
    workflows: ["drift.yml", "staging.yml"],
  })
  expect(staging.settings).toContainEqual({
    kind: "secret",
    name: "CLOUDFLARE_API_TOKEN",
    place: "environment",
    command: "gh secret set CLOUDFLARE_API_TOKEN --env staging",
  })
  expect(github.asked.every((one) => one.startsWith("GET "))).toBe(true)
})

test("what is missing is said by name, with the command that sets it and the words of the run", async () => {
  const environments = environmentsOf(names.filter((name) => name !== "production"))
  environments["staging"] = { secrets: [], variables: {} }
  environments["preview"] = { secrets: ["PREVIEW_CLOUDFLARE_API_TOKEN"], variables: {} }
  const repository = { secrets: ["CLOUDFLARE_API_TOKEN"], variables: {} }
  await using github = await openFakeGitHub({ environments, repository })
  const { code, out, err } = await run([], { GITHUB_TOKEN: "right", GITHUB_API_URL: github.url })
  expect(code).toBe(1)
  expect(err).toContain("Set up at GitHub what is missing in preview, production, staging.")
  const [, staging = ""] = /^staging [^]*?\n([^]*)/m.exec(out) ?? []
  expect(staging).toMatch(/secret +CLOUDFLARE_API_TOKEN +set in the repository/)
  expect(staging).toMatch(
    /variable +PULUMI_BACKEND_URL +not set: gh variable set PULUMI_BACKEND_URL --env staging/,
  )
  expect(staging).toContain(
    "✗ there is a token but no backend, neither the secret PULUMI_ACCESS_TOKEN",
  )
  expect(out).toContain("neither the secret PREVIEW_PULUMI_ACCESS_TOKEN")
  expect(out).toContain(
    "✗ this environment does not exist: gh api --method PUT repos/acme/accounts/environments/production",
  )
})

test("without a token every command is printed, and GitHub is not asked", async () => {
  await using github = await openFakeGitHub({ environments: {} })
  const { code, out, err } = await run([], { GITHUB_API_URL: github.url, PATH: "/nowhere" })
  expect(code).toBe(1)
  expect(err).toContain("What is set there is not known, as there is no token")
  expect(github.asked).toEqual([])
  const commands = workflowNeeds(root).flatMap(({ environment, settings }) =>
    settings.map(({ kind, name }) => `gh ${kind} set ${name} --env ${environment}`),
  )
  expect(commands.length).toBeGreaterThan(60)
  expect(out.match(/gh (?:secret|variable) set .*/g)).toEqual(commands)
})

test.each([
  {
    path: "/environments",
    status: 404,
    body: '{"message":"Not Found"}',
    said: /404, "Not Found",.*may not read its Environments/,
  },
  {
    path: "/staging/secrets",
    status: 403,
    body: '{"message":"Resource not accessible"}',
    said: /403, "Resource.*may not read its Env/,
  },
  {
    path: "/staging/variables",
    status: 502,
    body: "<html>",
    said: /answered 502 to .*: ask again later/,
  },
  {
    path: "/actions/secrets",
    status: 200,
    body: "<html>",
    said: /answered 200 to .*: that is no list/,
  },
])("an answer of $status at $path ends in one sentence", async ({ said, ...failing }) => {
  await using github = await openFakeGitHub({ environments: environmentsOf(names), failing })
  const { code, out, err } = await run([], { GH_TOKEN: "right", GITHUB_API_URL: github.url })
  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).toMatch(said)
  expect(err.trim().split("\n")).toHaveLength(1)
})

test("a wrong token, or no answer at all, ends in one sentence", async () => {
  await using github = await openFakeGitHub({ environments: {} })
  const wrong = await run([], { GH_TOKEN: "wrong", GITHUB_API_URL: github.url })
  expect(wrong.err).toMatch(/401, "Bad credentials", .*the token is wrong or has ended/)
  expect(wrong.err).not.toContain("Bearer")
  await github[Symbol.asyncDispose]()
  const away = await run([], { GH_TOKEN: "right", GITHUB_API_URL: github.url })
  expect(away).toMatchObject({
    code: 1,
    err: expect.stringContaining("GitHub does not answer at "),
  })
})

test("a token that no header can hold is refused, and not repeated", async () => {
  const { code, out, err } = await run([], { GH_TOKEN: "ghp_first\nghp_second" })
  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).toMatch(/^error: The token for GitHub .* set it again\.$/m)
  expect(err).not.toMatch(/ghp_/)
})
