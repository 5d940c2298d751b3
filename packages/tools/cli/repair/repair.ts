import { join } from "node:path"

import { isPreview } from "../branch/preview-stack.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import type { StackChoice } from "../local-options.ts"
import { readIfExists } from "../process/is-alive.ts"
import type { LocalStack } from "../stack/local-stack.ts"
import { openRemoteSite, openStackOfMachine } from "../stack/open-by-name.ts"
import { freeLocalStack, freeStack } from "./lock.ts"
import { repairState, type Taken } from "./repair-state.ts"

export type Repair = Taken & {
  /** Number of removed locks. */
  locks: number
}

type Options = StackChoice & {
  /** Ids of locks that the user says nobody holds any more. */
  locks: string[]
}

/** Repairs `local`, a stack of this machine (`local: true`), or one at Cloudflare with the caller's token. */
export async function repairStack(stack: string, options: Options): Promise<Repair> {
  const { local, state, locks: named } = options
  if (stack === "local" || local) {
    await using opened = await openStackOfMachine(stack, options)
    return await repairLocalStack(opened, { locks: named, thorough: true })
  }
  const site = await openRemoteSite(stack, options)
  const locks = await freeStack(site, { stack, named })
  return { locks, ...(await repairState(site, { stack, local, state })) }
}

export function redeployCommand(stack: string, local: boolean): string {
  if (stack === "local") return "npm start"
  if (!isPreview(stack)) return `pulumi up -s ${stack}`
  return `./accounts branch up${local ? " --local" : ""}, on its branch`
}

/**
 * Prints only what it repairs.
 * @param options.thorough asks the account also where the stored state lacks nothing
 */
export async function repairLocalStack(
  { stack: { name: stack }, engine, project, api, state }: LocalStack,
  { locks: named = [], thorough = false }: { locks?: string[]; thorough?: boolean } = {},
): Promise<Repair> {
  const backend = backendDirectory(state)
  const locks = freeLocalStack(backend, { stack, named })
  // The engine's export would make 3.6 s of the 2.9 s of `start --once` with nothing changed.
  if (!thorough && isWhole({ backend, stack })) return { locks, adopted: [], cleared: [] }
  return {
    locks,
    ...(await repairState({ engine, project, api }, { stack, local: true, state })),
  }
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
