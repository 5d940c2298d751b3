import { join } from "node:path"

import { Failure } from "../../base/failure.ts"
import type { WorkerPlace } from "../../deploy/api.ts"
import { openDeployments, withTraffic } from "../../deploy/release/deployments.ts"
import { databaseIdOf } from "../../deploy/version/inputs.ts"
import { openUploads } from "../../deploy/version/uploads.ts"
import { type Environment, physicalName } from "../../environment/environment.ts"
import { backendDirectory } from "../engine/engine-environment.ts"
import type { StackChoice } from "../local-options.ts"
import { readIfExists } from "../process/is-alive.ts"
import type { LocalStack } from "../stack/local-stack.ts"
import { openRemoteSite, openStackOfMachine } from "../stack/open-by-name.ts"
import { exportState, type StoredState } from "../stack/stored-state.ts"
import { freeLocalStack, freeStack, lockedFailure } from "./lock.ts"
import {
  repairState,
  type ImportResult,
  type AccountSite,
  isSame,
  importExisting,
} from "./repair-state.ts"
import {
  findUnmanagedResources,
  type UnmanagedResource,
  readSubject,
} from "./unmanaged-resources.ts"

type Repair = ImportResult & {
  /** Number of removed locks. */
  locks: number
}

type Options = StackChoice & {
  /** Set by the user if no run holds the stack any more. */
  unlock: boolean
}

/** Repairs `local`, a stack of this machine (`local: true`), or a stack at Cloudflare with the caller's token. */
export async function repairStack(stack: string, options: Options): Promise<Repair> {
  const { local, state, unlock } = options
  if (stack === "local" || local) {
    await using opened = await openStackOfMachine(stack, options)
    return await repairLocalStack(opened, { unlock, thorough: true })
  }
  const site = await openRemoteSite(stack, options)
  const locks = await freeStack(site, { unlock })
  return { locks, ...(await repairState(site, { stack, local, state })) }
}

/**
 * Repairs a stack of this machine, and prints only what it repaired.
 * @param options.thorough also queries the account if the stored state looks complete
 */
export async function repairLocalStack(
  site: LocalStack,
  { unlock = false, thorough = false }: { unlock?: boolean; thorough?: boolean } = {},
): Promise<Repair> {
  const { state, stack } = site
  const locks = await freeLocalStack(site, { state, unlock })
  const path = join(backendDirectory(state), ".pulumi/stacks/accounts", `${stack.name}.json`)
  const stored = readIfExists(path) ?? ""
  const isWhole =
    !stored.includes('"pending_operations"') &&
    stored.includes('"cloudflare:index/d1Database:D1Database"') &&
    stored.includes('"cloudflare:index/worker:Worker"')
  // The engine's export would slow an unchanged `start --once` from 2.9 s to 3.6 s.
  if (!thorough && isWhole) return { locks, adopted: [], cleared: [] }
  return { locks, ...(await repairState(site, { stack: stack.name, local: true, state })) }
}

type Adoption = {
  /** Resources that the stack imports. */
  missing: UnmanagedResource[]
  /** Resources that lead to the stack's Worker, are not in its stack file, and stay as they are. */
  stays: UnmanagedResource[]
  existing: UnmanagedResource[]
  before: StoredState
}

/**
 * Plans which resources a stack would import: the database and the Worker of its name, and the host and the
 * routes of its stack file that lead to that Worker.
 * @throws Failure if any of them may belong to someone else
 */
export async function planAdoption(site: AccountSite): Promise<Adoption> {
  const subject = readSubject(site.project)
  const { stack, environment } = subject
  const before = await exportState(site)
  const existing = await findUnmanagedResources(subject, { api: site.api, allRoutes: true })
  const { resources } = before.deployment
  const missing = existing.filter(
    (unmanaged) => unmanaged.declared && !resources.some((resource) => isSame(resource)(unmanaged)),
  )
  const problems = [
    ...missing.flatMap((unmanaged) => [
      ...problemsOf(unmanaged, environment),
      ...othersOf(unmanaged, before),
    ]),
    ...(missing.length > 0 ? await problemsOfRows(site, existing) : []),
  ]
  if (problems.length > 0) {
    const text = problems.map((problem) => `  ${problem}`).join("\n")
    throw new Failure(
      "COMMAND_FAILED",
      `${stack} takes over nothing:\n${text}\nNothing was changed.`,
    )
  }
  return {
    missing,
    stays: existing.filter(({ declared }) => !declared),
    existing,
    before,
  }
}

function problemsOf(
  { kind, label, leadsTo, tags = [], jurisdiction }: UnmanagedResource,
  environment: Environment,
): string[] {
  const problems: string[] = []
  if (leadsTo !== undefined) {
    const whither = leadsTo ? `leads to the Worker ${leadsTo}` : "turns Workers off there"
    problems.push(`${label} ${whither}: delete it there, or change the stack file`)
  }
  const tag = tags.find((candidate) => candidate.startsWith("environment="))
  if (tag !== undefined && tag !== `environment=${environment.environment}`) {
    problems.push(`${label} is tagged ${tag}: it is another stack's, or remove that tag`)
  }
  if (kind === "database" && jurisdiction !== environment.jurisdiction) {
    const fix = jurisdiction
      ? `set accounts:jurisdiction: ${jurisdiction}`
      : "remove accounts:jurisdiction"
    problems.push(
      `${label} has the jurisdiction ${jurisdiction ?? "none"}, which cannot change: ${fix}`,
    )
  }
  return problems
}

/** Reports a second database or Worker: a stack has one, and this command cannot tell which is its own. */
function othersOf(
  { kind, label, declared }: UnmanagedResource,
  { deployment }: StoredState,
): string[] {
  if (kind === "host" || kind === "route") return []
  const resource = deployment.resources.find(({ type }) => type === declared?.type)
  if (resource === undefined) return []
  const fix = "`pulumi refresh` forgets that one if it is gone"
  return [`${label} has the name, but the stack's state has ${resource.id ?? "another"}: ${fix}`]
}

/** Reports other databases that live versions use: members' rows are there. */
async function problemsOfRows(
  { api, project }: AccountSite,
  existing: UnmanagedResource[],
): Promise<string[]> {
  const { stack, environment } = readSubject(project)
  const worker = existing.find(({ kind }) => kind === "Worker")
  if (!worker) return []
  const scriptName = physicalName(stack, environment)
  const { accountId } = environment
  const database = existing.find(({ kind }) => kind === "database")
  const otherDatabases = await databasesElsewhere({ api, accountId, scriptName }, database?.id)
  if (otherDatabases.length === 0) return []
  const reason = database ? `${database.label} is another one` : "none of its name exists"
  return [
    `${worker.label} serves with the database ${otherDatabases.join(", ")}, and ${reason}: the rows have to be in a database of the name ${scriptName}`,
  ]
}

/**
 * @returns URNs of the imported resources
 * @throws Failure LOCKED if another run holds the stack
 */
export async function adopt(
  site: AccountSite,
  plan: Adoption,
  here: { state: string; local: boolean },
): Promise<string[]> {
  try {
    return (await importExisting(site, { ...plan, state: here.state })).adopted
  } catch (error) {
    throw lockedFailure(error, { ...here, stack: site.project.stack }) ?? error
  }
}

/** Returns the databases of versions with traffic that are not bound to this database, as in `3f… (DB)`. */
export async function databasesElsewhere(
  worker: WorkerPlace,
  databaseId: string | undefined,
): Promise<string[]> {
  const live = await openDeployments(worker).live()
  const uploads = openUploads(worker)
  const bound = await Promise.all(
    withTraffic(live?.split ?? []).map(async ({ versionId }) => {
      const version = await uploads.find(versionId)
      if (version !== undefined) return version.bindings.filter(({ type }) => type === "d1")
      throw new Error(`Cloudflare does not show version ${versionId}, which serves`)
    }),
  )
  return bound
    .filter((databases) => !databases.some((database) => databaseIdOf(database) === databaseId))
    .flat()
    .map((database) => `${databaseIdOf(database)} (${database.name})`)
}
