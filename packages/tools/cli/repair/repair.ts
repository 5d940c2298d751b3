import { join } from "node:path"

import { isPreview } from "../branch/preview-stack.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import type { StackChoice } from "../local-options.ts"
import { readIfExists } from "../process/read-file.ts"
import type { LocalStack } from "../stack/local-stack.ts"
import { openRemoteSite, openStackOfMachine } from "../stack/open-by-name.ts"
import { adoptCommand } from "./repair-command.ts"
import { repairState } from "./repair-state.ts"
import { freeLocalStack, freeStack } from "./stack-locks.ts"
import type { Taken } from "./take-in.ts"

export type Repair = Taken & {
  /** Number of removed locks. */
  locks: number
}

type Options = StackChoice & {
  /** Ids of locks that the user says nobody holds any more. */
  locks: string[]
}

/** Repairs `local`, a preview of this machine (`local: true`), or a stack at Cloudflare with the caller's token. */
export async function repairStack(name: string, options: Options): Promise<Repair> {
  return name === "local" || options.local
    ? await repairLocal(name, options)
    : await repairRemote(name, options)
}

export function redeployCommand(stack: string, local: boolean): string {
  if (stack === "local") return "npm start"
  if (!isPreview(stack)) return `pulumi up -s ${stack}`
  return `./accounts branch up${local ? " --local" : ""}, on its branch`
}

async function repairLocal(name: string, options: Options): Promise<Repair> {
  await using local = await openStackOfMachine(name, options)
  return await repairLocalStack(local, { ...options, thorough: true })
}

async function repairRemote(stack: string, options: Options): Promise<Repair> {
  const site = await openRemoteSite(stack, options)
  const place = { local: false }
  const locks = await freeStack(site, { stack, named: options.locks })
  const { state } = options
  return { locks, ...(await repairState(site, { adopt: adoptCommand(stack, place), state })) }
}

/**
 * Prints only what it repairs.
 * @param options.thorough asks the account also where the stored state lacks nothing
 */
export async function repairLocalStack(
  { stack: { name }, engine, project, api, state }: LocalStack,
  { locks: named = [], thorough = false }: { locks?: string[]; thorough?: boolean } = {},
): Promise<Repair> {
  const backend = backendDirectory(state)
  const place = { local: true }
  const locks = freeLocalStack(backend, {
    stack: name,
    named,
  })
  // The engine's export would make 3.6 s of the 2.9 s of `start --once` with nothing changed.
  if (!thorough && isWhole({ backend, stack: name })) return { locks, adopted: [], cleared: [] }
  const wish = { adopt: adoptCommand(name, place), state }
  return { locks, ...(await repairState({ engine, project, api }, wish)) }
}

/** Only if the stored state shows that nothing is pending, and that it has a database and a Worker. */
function isWhole({ backend, stack }: { backend: string; stack: string }): boolean {
  const state = readIfExists(join(backend, ".pulumi/stacks/accounts", `${stack}.json`)) ?? ""
  return (
    !state.includes('"pending_operations"') &&
    state.includes('"cloudflare:index/d1Database:D1Database"') &&
    state.includes('"cloudflare:index/worker:Worker"')
  )
}
