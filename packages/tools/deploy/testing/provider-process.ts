import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { connectPlugin, openPlugin } from "@accounts-stack/pulumi-host/testing/plugin-client"

import { startEngineLog } from "./engine-log.ts"

export type ProviderProcess = Awaited<ReturnType<typeof startProvider>>

const launcher = join(import.meta.dirname, "../pulumi-resource-accounts")

/** Starts the provider as the engine does. */
export async function startProvider(options: {
  baseUrl: string
  token?: string
  /** More variables of its environment. */
  environment?: NodeJS.ProcessEnv
}) {
  const engine = await startEngineLog()
  const { CLOUDFLARE_API_TOKEN: _caller, ...environment } = process.env
  const child = spawn(launcher, [engine.address], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...environment,
      ...options.environment,
      ...(options.token && { CLOUDFLARE_API_TOKEN: options.token }),
    },
  })
  const exit = new Promise<void>((settle) => child.once("exit", () => settle()))
  const output: string[] = []
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  const port = await new Promise<string>((settle) =>
    createInterface(child.stdout).once("line", settle),
  )
  const client = connectPlugin(port)
  const provider = openPlugin(client, "accounts:index:")
  await provider.configure({ baseUrl: options.baseUrl }).catch(async (error: unknown) => {
    client.close()
    child.kill("SIGKILL")
    await exit
    engine.stop()
    throw error
  })

  return {
    ...provider,
    log: engine.lines,
    /** Everything that the process wrote to stdout and stderr. */
    output,
    async kill() {
      child.kill("SIGKILL")
      await exit
    },
    async [Symbol.asyncDispose]() {
      client.close()
      child.kill("SIGKILL")
      await exit
      engine.stop()
    },
  }
}
