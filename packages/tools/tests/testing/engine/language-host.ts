import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

import grpc from "@grpc/grpc-js"
import { LanguageRuntimeClient } from "@pulumi/pulumi/proto/language_grpc_pb.js"
import languageProto from "@pulumi/pulumi/proto/language_pb.js"

const nodeModules = join(import.meta.dirname, "../../../../../node_modules")

/** An engine's request to a language host. */
export type Run = {
  /** Address of the engine, which is also the resource monitor. */
  engine: string
  dryRun: boolean
  stack: string
  config: Record<string, string>
  secretKeys: string[]
}

/** Runs the program as `pulumi-language-nodejs` does for the ordinary CLI with `main: infra/main.js`. */
export async function runByCommand(main: string, run: Run) {
  const { engine, dryRun, stack, config, secretKeys } = run
  const directory = dirname(main)
  const child = spawn(
    process.execPath,
    [
      join(nodeModules, "@pulumi", "pulumi", "cmd", "run", "index.js"),
      `--monitor=${engine}`,
      `--engine=${engine}`,
      `--stack=${stack}`,
      "--project=accounts",
      "--organization=organization",
      `--root-directory=${dirname(directory)}`,
      `--pwd=${directory}`,
      "--parallel=16",
      ...(dryRun ? ["--dry-run"] : []),
      basename(main),
    ],
    {
      cwd: dirname(directory),
      env: {
        ...ownEnvironment(),
        PULUMI_CONFIG: JSON.stringify(config),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
        PULUMI_NODEJS_TYPESCRIPT: "false",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  const output = collect(child)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`The program exited with ${code}: ${output.join("")}`)
}

/** Runs the program as the commands do through the Automation API, from an unrelated directory. */
export async function runInline(module: string, run: Run) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("inline-host.ts", import.meta.url)), module],
    { cwd: tmpdir(), env: ownEnvironment(), stdio: ["pipe", "pipe", "pipe"] },
  )
  const output = collect(child)
  try {
    const exit = once(child, "close").then(() => {
      throw new Error(`The inline host exited: ${output.join("")}`)
    })
    const [port] = await Promise.race([once(child.stdout, "data"), exit])
    const error = await runProgram(`127.0.0.1:${String(port).trim()}`, run)
    if (error) throw new Error(`${error} ${output.join("")}`)
  } finally {
    // By its own end, as a process that is killed keeps nothing of what it has compiled.
    child.stdin.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, "close")
  }
}

function runProgram(address: string, run: Run): Promise<string> {
  const request = new languageProto.RunRequest()
  request.setArgsList([run.engine])
  request.setMonitorAddress(run.engine)
  request.setProject("accounts")
  request.setStack(run.stack)
  request.setOrganization("organization")
  request.setParallel(16)
  request.setDryrun(run.dryRun)
  for (const [key, value] of Object.entries(run.config)) request.getConfigMap().set(key, value)
  request.setConfigsecretkeysList(run.secretKeys)
  const client = new LanguageRuntimeClient(address, grpc.credentials.createInsecure())
  return new Promise<string>((resolve, reject) => {
    client.run(request, (error, response) => (error ? reject(error) : resolve(response.getError())))
  }).finally(() => client.close())
}

function collect(child: ChildProcess) {
  const output: string[] = []
  child.stdout?.on("data", (chunk: Buffer) => output.push(String(chunk)))
  child.stderr?.on("data", (chunk: Buffer) => output.push(String(chunk)))
  return output
}

/** The environment without the variables that the test runner sets. */
function ownEnvironment() {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter(([name]) => !/^(?:VITEST|NODE_ENV$|PULUMI_)/.test(name)))
}
