import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { expect, test } from "vitest"

import { localEnvironment } from "../engine/engine-environment.ts"
import { engineVersion } from "../engine/pinned-versions.ts"
import { readOutputs } from "./backend.ts"
import { openStack } from "./stack.ts"

const stack = "local"

function write(file: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
}

type Site = { script?: string; secretsProvider?: string | undefined }

/** A project that has selected a stored stack, and an engine that records its arguments and runs `script`. */
async function createSite({ script = "", secretsProvider }: Site = {}) {
  const folder = await mkdtempDisposable(join(tmpdir(), "accounts-selected-"))
  const state = join(folder.path, "state")
  const recorded = join(folder.path, "calls")
  const command = join(folder.path, "bin/pulumi")
  write(command, `#!/bin/sh\necho "$@" >> ${recorded}\n${script}\n`, 0o755)
  const home = join(state, "pulumi/stand-in")
  const directory = join(state, "projects/local")
  const project = join(directory, "Pulumi.yaml")
  write(project, "name: accounts\nruntime: nodejs\n")
  const stored = join(state, "pulumi/state/.pulumi/stacks/accounts/local.json")
  write(stored, "{}")
  const hash = createHash("sha1").update(project).digest("hex")
  const selection = join(home, "workspaces", `accounts-${hash}-workspace.json`)
  write(selection, JSON.stringify({ stacks: { "file:///": `organization/accounts/${stack}` } }))
  const environment = localEnvironment({
    state,
    home,
    engine: command,
    token: "token",
    accountId: "account",
    api: "http://127.0.0.1:1",
  })
  const engine = { command, version: engineVersion, environment }
  const calls = () =>
    existsSync(recorded) ? readFileSync(recorded, "utf8").trim().split("\n") : []
  return {
    stored,
    selection,
    engine,
    calls,
    async open() {
      const stackFile = join(directory, "Pulumi.local.yaml")
      const of = { directory, stack, stackFile, baseUrl: "", accountId: "", secretsProvider }
      await openStack({ engine, project: of })
      return calls()
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

test("a stack that is stored and selected is opened without a start of the engine", async () => {
  await using site = await createSite()
  expect(await site.open()).toEqual([])
})

test("a stack that is not selected is selected by the engine", async () => {
  await using site = await createSite()
  rmSync(site.selection)
  expect(await site.open()).toEqual([expect.stringMatching(/^stack select --stack local/)])
})

test("a new stack is created by one start of the engine, and selected if another run was faster", async () => {
  await using site = await createSite()
  rmSync(site.stored)
  expect(await site.open()).toEqual([expect.stringMatching(/^stack init local/)])
  await using late = await createSite({ script: `case "$2" in init) exit 255 ;; esac` })
  rmSync(late.stored)
  expect(await late.open()).toEqual([
    expect.stringMatching(/^stack init local/),
    expect.stringMatching(/^stack select --stack local/),
  ])
})

test("a new stack gets the secrets provider of its stack file, not a passphrase", async () => {
  await using site = await createSite({ secretsProvider: "hashivault://accounts" })
  rmSync(site.stored)
  expect(await site.open()).toEqual([
    expect.stringMatching(/^stack init local --secrets-provider hashivault:\/\/accounts/),
  ])
})

test("the outputs of a stack cost one start of the engine, and only one that has none is looked up in the list", async () => {
  const output = `output) [ -e "$0.gone" ] && exit 255; echo '{"url":"here"}'`
  await using site = await createSite({ script: `case "$2" in ${output} ;; ls) echo '[]' ;; esac` })
  expect(await readOutputs(site.engine, stack)).toEqual({ url: "here" })
  expect(site.calls()).toEqual([expect.stringMatching(/^stack output --stack local/)])
  writeFileSync(`${site.engine.command}.gone`, "")
  expect(await readOutputs(site.engine, stack)).toEqual({})
  expect(site.calls().slice(2)).toEqual([expect.stringMatching(/^stack ls/)])
})
