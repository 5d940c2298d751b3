import { join } from "node:path"

import * as z from "zod"

import { physicalName } from "../../infra/environment/environment.ts"
import { parseStackFile } from "../../infra/environment/stack-file.ts"
import { openApi } from "../api.ts"
import { isPreview } from "../branch/preview-stack.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import { readIfExists } from "../process/read-file.ts"
import type { LocalStack } from "../stack/local-stack.ts"
import { openStackOfMachine, type StackChoice } from "../stack/open-by-name.ts"
import { openRemoteSite } from "../stack/remote-stack.ts"
import type { Site } from "../stack/stored-state.ts"
import { repairCommand } from "./repair-command.ts"
import { repairState, type Settled } from "./repair-state.ts"
import { freeLocalStack, freeStack } from "./stack-locks.ts"

export type Repair = Settled & {
  /** Number of removed locks. */
  locks: number
}

type Options = StackChoice & {
  /** Ids of locks that the user says nobody holds any more. */
  locks: string[]
  /** Ids of resources that the user says are the stack's own. */
  own: string[]
}

type Named = Pick<Options, "locks" | "own">

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
  return await repairLocalStack(local, options)
}

async function repairRemote(stack: string, options: Options): Promise<Repair> {
  const site = await openRemoteSite(stack, options)
  const repair = repairCommand(stack, { local: false })
  const locks = await freeStack(site, { stack, repair, named: options.locks })
  const api = openApi(site.project)
  const { state, own } = options
  const settled = await repairState(site, { stack, repair, state, api, own, name: nameIn(site) })
  return { locks, ...settled }
}

/** Prints only what it repairs. */
export async function repairLocalStack(
  { stack, engine, project, state, cloudflare }: LocalStack,
  { locks: named, own }: Named = { locks: [], own: [] },
): Promise<Repair> {
  const { name } = stack
  const backend = backendDirectory(state)
  const repair = repairCommand(name, { local: true })
  const locks = freeLocalStack(backend, { stack: name, repair, named })
  // The engine's export takes as long as half an `up`.
  if (!mayHavePending({ backend, stack: name })) return { locks, adopted: [], cleared: [] }
  const site = { engine, project }
  const { token } = cloudflare
  const api = openApi({ baseUrl: project.baseUrl, token })
  const wish = { stack: name, repair, state, api, own, name: nameIn(site) }
  return { locks, ...(await repairState(site, wish)) }
}

/** Of Worker and database. */
function nameIn({ project: { stack, stackFile } }: Site): string {
  const { "accounts:name": name } = parseStackFile(stackFile, stackFile).config
  return physicalName(stack, { name: z.string().optional().parse(name) })
}

/** False only if the stored state shows that no operation is pending. */
function mayHavePending({ backend, stack }: { backend: string; stack: string }): boolean {
  const state = readIfExists(join(backend, ".pulumi/stacks/accounts", `${stack}.json`))
  return state === undefined || state.includes('"pending_operations"')
}
