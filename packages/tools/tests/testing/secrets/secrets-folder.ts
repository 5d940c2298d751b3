import { execFile, spawn } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import * as z from "zod"

import { root } from "../../../base/root.ts"
import { findEngine } from "../../../cli/engine/engine.ts"

const execute = promisify(execFile)

const stacks = ["staging", "production"]

/** Files that `pulumi stack init` wrote for the first folder of each kind, by path. */
const initialized = new Map<string | undefined, Map<string, string>>()

/**
 * A folder of stack files, and a backend that knows their stacks, each with the same passphrase, or the
 * same key of a key service.
 */
export async function openSecretsFolder({ sealer, env: extraEnv = {} }: SecretsSite = {}) {
  const engine = await findEngine({})
  const directory = mkdtempSync(join(tmpdir(), "accounts-secrets-"))
  const [environments, backend, temporary] = ["environments", "backend", "tmp"].map((name) => {
    mkdirSync(join(directory, name))
    return join(directory, name)
  })
  if (!environments || !backend || !temporary) throw new Error("three folders are made")
  const variables = {
    ...process.env,
    ACCOUNTS_ENGINE: engine.command,
    // The folder looks like a checkout, and has no program.
    ACCOUNTS_ROOT: root,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "the passphrase of the tests",
    PULUMI_HOME: join(directory, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "1",
    TMPDIR: temporary,
    ...extraEnv,
  }
  writeFileSync(join(directory, "Pulumi.yaml"), "name: accounts\nruntime: nodejs\n")
  const pulumi = (...args: string[]) =>
    execute(engine.command, [...args, "--non-interactive"], { cwd: directory, env: variables })
  const provider = sealer === undefined ? [] : ["--secrets-provider", sealer]
  const prepared = initialized.get(sealer)
  for (const [path, text] of prepared ?? []) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  if (!prepared) {
    for (const name of stacks) await pulumi("stack", "init", name, ...provider)
    initialized.set(sealer, readFiles(directory, /^backend|^Pulumi\..*yaml$/))
  }
  for (const name of stacks) {
    const salt = readFileSync(join(directory, `Pulumi.${name}.yaml`), "utf8")
    const file = readFileSync(join(root, "environments", `Pulumi.${name}.yaml`), "utf8")
    writeFileSync(join(environments, `Pulumi.${name}.yaml`), `${file}${salt}`)
  }

  return {
    temporary,
    variables,
    environments,
    pulumi,
    read: (name: string) => readFileSync(join(environments, `Pulumi.${name}.yaml`), "utf8"),
    edit(name: string, change: (text: string) => string) {
      const path = join(environments, `Pulumi.${name}.yaml`)
      writeFileSync(path, change(readFileSync(path, "utf8")))
    },
    /** Starts a command on the folder. */
    start: (...args: string[]) => startCommand(args, { directory: environments, env: variables }),
    run: (args: string[], env: NodeJS.ProcessEnv = {}) =>
      runCommand(args, { directory: environments, env: { ...variables, ...env } }),
    /** Seals a value as docs/operating.md says. */
    async seal(name: string, secret: string, value: string): Promise<void> {
      const file = join(environments, `Pulumi.${name}.yaml`)
      const path = `accounts:secrets.${secret}`
      const stackArgs = ["--stack", name, "--config-file", file]
      const sealed = pulumi("config", "set", "--secret", "--path", path, ...stackArgs)
      sealed.child.stdin?.end(value)
      await sealed
    },
    /** The values as Pulumi itself opens them. */
    async open(name: string) {
      const file = join(environments, `Pulumi.${name}.yaml`)
      const args = ["config", "--show-secrets", "--json", "--stack", name, "--config-file", file]
      const { stdout } = await pulumi(...args)
      const config = Opened.parse(JSON.parse(stdout))
      return config["accounts:secrets"]?.objectValue ?? {}
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}

function readFiles(directory: string, pattern: RegExp): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
    (path) => pattern.test(path) && statSync(join(directory, path)).isFile(),
  )
  return new Map(files.map((path) => [path, readFileSync(join(directory, path), "utf8")]))
}

type CommandSite = { directory: string; env: NodeJS.ProcessEnv }

function startCommand(args: string[], { directory, env }: CommandSite) {
  const command = [join(root, "packages/tools/cli/main.js"), ...args, "--directory", directory]
  return spawn(process.execPath, command, { cwd: directory, env, stdio: "pipe" })
}

/** Runs `./accounts` on a folder of stack files. */
export async function runCommand(args: string[], site: CommandSite) {
  const child = startCommand(args, site)
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { code, ...output, all: output.stdout + output.stderr }
}

type SecretsSite = {
  /** Pulumi's URL of a key service. */
  sealer?: string
  env?: Record<string, string>
}

const Opened = z.object({
  "accounts:secrets": z.object({ objectValue: z.record(z.string(), z.string()) }).optional(),
})
