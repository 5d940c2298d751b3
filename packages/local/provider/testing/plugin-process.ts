import { spawn } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { createInterface } from "node:readline"

import {
  connectPlugin,
  type Kept,
  openPlugin,
} from "@accounts-stack/pulumi-host/testing/plugin-client"

type Options = {
  /** The working directory. */
  directory: string
  environment?: Record<string, string>
  /** Another plugin than the stand-in. */
  command?: string | undefined
}

/** Starts the provider as the engine does, and calls it as the engine does. */
export async function startPlugin({ directory, environment = {}, command }: Options) {
  const main = path.join(import.meta.dirname, "..", "main.js")
  const { PATH = "", NODE_COMPILE_CACHE } = process.env
  // The official one wants the address of an engine, for its log.
  const [program, words] = command
    ? [command, ["127.0.0.1:1"]]
    : [process.execPath, [main, "--logtostderr"]]
  const child = spawn(program, words, {
    cwd: directory,
    // The compile cache halves the time to load.
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const output: string[] = []
  const errors: string[] = []
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text))
  const lines = createInterface(child.stdout)
  const ready = once(lines, "line")
  lines.on("line", (line) => output.push(line))
  const [port] = await Promise.race([ready, once(child, "exit").then(() => [""])])
  if (!/^\d+$/.test(String(port))) throw new Error(`The provider did not start: ${errors.join("")}`)
  const client = connectPlugin(String(port))
  return {
    ...openPlugin(client),
    output,
    errors,
    async [Symbol.asyncDispose]() {
      client.close()
      const exit = once(child, "exit")
      child.kill()
      await exit
    },
  }
}

export function changeTo({ id, outputs, inputs }: Kept, news: Kept["inputs"]) {
  return { id, olds: outputs, oldInputs: inputs, inputs: news }
}
