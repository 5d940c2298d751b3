import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../root.ts"
import { engineVersion } from "./engine/pinned-versions.ts"

/** Writes the names of all loaded packages to the file that PACKAGES names. */
const recorder = `
import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
const packages = new Set()
registerHooks({
  load(url, context, next) {
    const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
    if (name) packages.add(name)
    return next(url, context)
  },
})
process.on("exit", () => writeFileSync(process.env.PACKAGES, JSON.stringify([...packages])))
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

/** Runs a command, which may fail because nothing is running, and returns the packages it loaded. */
function packagesOf(command: string): string[] {
  using state = createState()
  const { directory } = state
  const list = join(directory, "packages.json")
  const args = command.split(" ")
  if (!args.includes("--help")) args.push("--state", join(directory, "state"))
  const hook = `data:text/javascript,${encodeURIComponent(recorder)}`
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--import", hook, join(root, "cli/main.js"), ...args],
    {
      encoding: "utf8",
      env: {
        ...process.env,
        PACKAGES: list,
        ACCOUNTS_ENGINE: join(directory, "pulumi"),
        ACCOUNTS_PROVIDER: "stand-in",
      },
    },
  )
  // Status 1 must mean that nothing is running, not that the command broke.
  const outcome = status === 1 ? stderr : status
  expect(String(outcome)).toMatch(/^(?:0|error: No .* is running on .*\n)$/)
  const packages: string[] = JSON.parse(readFileSync(list, "utf8"))
  return packages.toSorted()
}

test.each([
  "--help",
  "local --help",
  "local fault add --help",
  "owner grant --help",
  "database lint --help",
  "branch sweep --help",
])("%s loads the parser of options alone", (command) => {
  expect(packagesOf(command)).toEqual(["commander", "picocolors"])
})

test.each([
  "local status",
  "local log",
  "local mail",
  "local console",
  "local fault list",
  "local reset --yes",
])("%s also loads zod, and nothing else", (command) => {
  expect(packagesOf(command)).toEqual(["commander", "picocolors", "zod"])
})

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
