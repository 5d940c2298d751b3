import { mkdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { coerce, lt } from "semver"

import { messageOf } from "../../base/failure.ts"
import { engineVersion } from "./engine-environment.ts"
import { findOnPath, run } from "./executable.ts"

/** A command that a go.mod lists as a tool; go.mod and go.sum pin its source by hash. */
export type GoTool = {
  /** Directory of the go.mod. */
  module: string
  package: string
  /** The linker sets this variable; without it the engine reports 3.0.0-dev and fails version checks. */
  versionVariable: string
}

export const engineTool: GoTool = {
  module: join(import.meta.dirname, "go"),
  package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  versionVariable: "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version",
}

/** Older versions do not download the toolchain that a go.mod requires. */
const oldestGo = "1.21.0"

/**
 * Builds it in about seven minutes where GitHub and get.pulumi.com cannot be reached, but Go's module
 * proxy can: nothing else gets an engine there.
 * @throws Error with the reason if the tool cannot be built
 */
export async function buildEngine(options: {
  tool: GoTool
  output: string
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}) {
  const { tool, output, signal } = options
  const go = await findGo(options.env, signal)
  // Excludes a C compiler, an outer workspace and local edits, so that the same source gives the same
  // bytes. An interrupted Go leaves its working directory behind, so it gets one that is removed below.
  const work = `${output}.work`
  await mkdir(work, { recursive: true })
  const env = { ...options.env, CGO_ENABLED: "0", GOWORK: "off", GOTMPDIR: work }
  const linked = `-ldflags=-s -w -X ${tool.versionVariable}=${engineVersion}`
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", linked]
  try {
    const args = ["build", ...flags, "-o", output, tool.package]
    await run({ command: go, args, cwd: tool.module, env, signal })
  } catch (cause) {
    signal.throwIfAborted()
    throw new Error(`The build with ${go} failed:\n${messageOf(cause)}`, { cause })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function findGo(env: NodeJS.ProcessEnv, signal: AbortSignal) {
  const go = await findOnPath("go", env)
  if (!go) throw new Error("There is no go on PATH.")
  // Runs outside the module, where `go version` might download another Go.
  const output = await run({
    command: go,
    args: ["version"],
    cwd: tmpdir(),
    env: { ...env, GOTOOLCHAIN: "local" },
    signal,
  })
  const version = coerce(/\bgo(\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1])
  if (!version) {
    throw new Error(`\`${go} version\` does not print a version: ${output.slice(0, 80)}`)
  }
  if (lt(version, oldestGo)) {
    throw new Error(`${go} is Go ${version.version}; 1.21 or newer is needed.`)
  }
  return go
}
