import { existsSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline/promises"

import * as z from "zod"

import { root } from "../../root.ts"
import { shellLines } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/terminal.ts"
import { Failure, print, say, table } from "../output.ts"
import { expectRunning, findRunning, readToken } from "../process/local-cloudflare.ts"
import { idleCloudflare } from "../stack/backend.ts"
import { summary } from "../stack/change-summary.ts"
import { localEngine, openLocalStack, type LocalOptions } from "../stack/local-stack.ts"
import { destroy } from "../stack/stack.ts"

/** The shell lines that make the ordinary `pulumi` and `wrangler` work on `local`. */
export async function env(options: LocalOptions & { json: boolean }): Promise<void> {
  const running = await findRunning(options.state)
  const cloudflare = running ?? idleCloudflare(options, readToken(options.state))
  if (!running) {
    say("The local Cloudflare is not running: `npm start` in another terminal brings it up.")
  }
  const found = await findEngine({ enginePath: options.engine, onProgress: engineProgress() })
  const { engine } = await localEngine({ state: options.state, found, cloudflare })
  const values = {
    ...engine.environment,
    CLOUDFLARE_API_BASE_URL: cloudflare.api,
    ACCOUNTS_PROJECT: projectDirectory(options.state),
  }
  print(options.json ? JSON.stringify(values) : shellLines(values))
}

/** Where `pulumi -C` finds the stack of this state directory. */
function projectDirectory(state: string): string {
  const generated = resolve(state, "projects", "local")
  return existsSync(join(generated, "Pulumi.yaml")) ? generated : root
}

const Status = z.looseObject({
  databases: z.array(z.looseObject({ name: z.string() })).default([]),
  workers: z.array(z.looseObject({ name: z.string() })).default([]),
  processes: z
    .array(z.object({ name: z.string(), pid: z.number(), residentBytes: z.number() }))
    .default([]),
})

/** What runs on the state directory. Exit code 1 when nothing does. */
export async function status({ state, json }: LocalOptions & { json: boolean }): Promise<void> {
  const running = await expectRunning(state)
  const response = await fetch(new URL("/local/status", running.api), {
    headers: { authorization: `Bearer ${running.token}` },
  })
  const current = Status.parse(await response.json())
  if (json) return print(JSON.stringify(current))
  print(
    table([
      ["process", String(running.pid)],
      ["API", running.api],
      ["service", running.edge],
      ["Workers", current.workers.map(({ name }) => name).join(", ") || "none"],
      ["databases", current.databases.map(({ name }) => name).join(", ") || "none"],
      ...current.processes.map(({ name, pid, residentBytes }): [string, string] => [
        `workerd ${pid}`,
        `${name}, ${Math.round(residentBytes / 2 ** 20)} MiB`,
      ]),
    ]),
  )
}

/** Deletes everything that the stack `local` has made; the local Cloudflare itself stays. */
export async function destroyLocal(options: LocalOptions & { yes: boolean }): Promise<void> {
  await confirm(options.yes, "Delete the local Worker, its database and all its data?")
  await using local = await openLocalStack(options)
  say(summary(await destroy(local.stack)))
}

/** Removes the state directory: the way out of corrupt state, and back to a fresh clone. */
export async function reset({ state, yes }: LocalOptions & { yes: boolean }): Promise<void> {
  const running = await findRunning(state)
  if (running) {
    throw new Failure(
      `The local Cloudflare runs on ${state} (process ${running.pid}). End \`npm start\` first.`,
    )
  }
  if (existsSync(state) && !existsSync(join(state, "cloudflare"))) {
    throw new Failure(`${state} holds no local Cloudflare: it is not removed.`, { exitCode: 2 })
  }
  await confirm(yes, `Remove ${state} with every local database in it?`)
  rmSync(state, { recursive: true, force: true })
  say(`${state} is gone. \`npm start\` makes a new one.`)
}

async function confirm(yes: boolean, question: string): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw new Failure(`${question} Say so with --yes.`, { exitCode: 2 })
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close())
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure("Nothing was changed.")
}
