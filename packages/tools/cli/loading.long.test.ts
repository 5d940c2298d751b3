import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { engineVersion } from "./engine/engine-environment.ts"

/** Adds the names of all loaded packages, and how many modules of each, to the file that PACKAGES names. */
const recorder = `
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
const packages = {}
registerHooks({
  load(url, context, next) {
    const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
    if (name) packages[name] = (packages[name] ?? 0) + 1
    return next(url, context)
  },
})
process.on("exit", () => appendFileSync(process.env.PACKAGES, JSON.stringify(packages) + "\\n"))
`

/** An engine with an empty backend. */
const engine = `#!/bin/sh
case "$1" in version) echo v${engineVersion} ;; *) echo "[]" ;; esac
`

/** A state directory on which nothing is running. */
function createState() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-loading-"))
  mkdirSync(join(directory, "state", "cloudflare"), { recursive: true })
  writeFileSync(join(directory, "state", "cloudflare", "token"), "token\n")
  writeFileSync(join(directory, "pulumi"), engine, { mode: 0o755 })
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

/** `outcome` is 0, or what a run that failed printed. */
type Loaded = { outcome: string; modules: Record<string, number> }

/** Runs Node; counts the modules that it and its child processes loaded, by package. */
function modulesOf(...args: string[]): Loaded {
  using state = createState()
  const { directory } = state
  const list = join(directory, "packages.json")
  const hook = `data:text/javascript,${encodeURIComponent(recorder)}`
  const located = args.map((arg) => arg.replace("STATE", join(directory, "state")))
  const { stderr, status } = spawnSync(process.execPath, located, {
    encoding: "utf8",
    env: {
      ...process.env,
      NODE_OPTIONS: `--import ${hook}`,
      PACKAGES: list,
      ACCOUNTS_ENGINE: join(directory, "pulumi"),
      ACCOUNTS_PROVIDER: "stand-in",
      CLOUDFLARE_API_TOKEN: "token",
    },
  })
  const modules: Loaded["modules"] = {}
  for (const line of readFileSync(list, "utf8").trim().split("\n")) {
    const loaded: Loaded["modules"] = JSON.parse(line)
    for (const [name, count] of Object.entries(loaded)) modules[name] = (modules[name] ?? 0) + count
  }
  return { outcome: String(status === 0 ? status : stderr), modules }
}

/** Runs a command, which may fail because nothing is running, and returns the packages it loaded. */
function packagesOf(command: string): string[] {
  const args = command.split(" ")
  if (!args.includes("--help")) args.push("--state", "STATE")
  const { outcome, modules } = modulesOf(join(root, "packages/tools/cli/main.js"), ...args)
  // A failure must mean that nothing is running, not that the command broke.
  expect(outcome).toMatch(/^(?:0|error: No .* is running on .*\n)$/)
  return Object.keys(modules).toSorted()
}

test.each([
  "--help",
  "local --help",
  "local fault --help",
  "owner grant --help",
  "database lint --help",
  "branch sweep --help",
])("%s loads the parser of options alone", (command) => {
  expect(packagesOf(command)).toEqual(["commander", "picocolors"])
})

test.each(["local status", "local log", "local mail", "local fault", "local reset --yes"])(
  "%s also loads zod, and nothing else",
  (command) => {
    expect(packagesOf(command)).toEqual(["commander", "picocolors", "zod"])
  },
)

test.each(["local env", "local wrangler-config", "branch list --local"])(
  "%s loads neither the Pulumi SDK nor the Cloudflare SDK",
  (command) => {
    const packages = packagesOf(command)
    expect(packages).toContain("zod")
    expect(packages.filter((name) => /^(?:@pulumi\/.*|@grpc\/.*|cloudflare)$/.test(name))).toEqual(
      [],
    )
  },
)

test("the program loads its own resources of the Cloudflare SDK, not all 700", () => {
  const { outcome, modules } = modulesOf(join(root, "infra/main.js"))
  expect(outcome).toBe("0")
  expect(modules["@pulumi/cloudflare"]).toBeGreaterThan(3)
  expect(modules["@pulumi/cloudflare"]).toBeLessThan(20)
})

test("the columns in use are read without a module of drizzle-orm, whose package.json Node would read with each", () => {
  const module = pathToFileURL(join(root, "packages/tools/deploy/build/tables-in-use.ts")).href
  const read = `
    import { tablesInUse } from ${JSON.stringify(module)}
    if (Object.keys(await tablesInUse()).length < 10) throw new Error("no tables")
    process.exit()
  `
  const { outcome, modules } = modulesOf("--input-type=module", "--eval", read)
  expect(outcome).toBe("0")
  expect(Object.keys(modules)).toContain("esbuild")
  expect(Object.keys(modules)).not.toContain("drizzle-orm")
})
