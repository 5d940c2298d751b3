import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { findOnPath } from "../../../cli/engine/executable.ts"

/**
 * Writes a `pulumi` into a directory that runs the program of the current directory with the Automation API's
 * language server, where the engine has no language host of its own. Other commands go to the engine as they
 * are, and so does what the Automation API starts, which brings a language server of its own.
 */
export async function writePulumiShim(directory: string, command: string): Promise<void> {
  const hosted = await findOnPath("pulumi-language-nodejs", process.env)
  const through = hosted
    ? ""
    : `case " $* " in *' --client='*) exec '${command}' "$@" ;; esac
case "$1" in preview|up|refresh) exec '${process.execPath}' '${import.meta.filename}' '${command}' "$@" ;; esac
`
  mkdirSync(directory, { recursive: true })
  const path = join(directory, "pulumi")
  writeFileSync(path, `#!/bin/sh\n${through}exec '${command}' "$@"\n`)
  chmodSync(path, 0o755)
}

async function main(command: string, args: string[]): Promise<number> {
  const program = join(process.cwd(), "infra", "index.ts")
  const host = spawn(process.execPath, [join(import.meta.dirname, "inline-host.ts"), program], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const port = await new Promise<string>((resolve, reject) => {
    host.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()))
    host.once("exit", (code) => reject(new Error(`the program's host exited with ${code}`)))
  })
  try {
    return await runEngine(command, [...args, `--client=127.0.0.1:${port}`])
  } finally {
    host.stdin.end()
  }
}

function runEngine(command: string, flags: string[]): Promise<number> {
  const child = spawn(command, flags, { stdio: "inherit" })
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)))
}

const [self, engine, ...args] = process.argv.slice(1)
if (self === import.meta.filename && engine) process.exitCode = await main(engine, args)
