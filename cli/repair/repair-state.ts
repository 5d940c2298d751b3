import { Failure } from "../../failure.ts"
import type { Api } from "../../provider/api.ts"
import { paint, say } from "../output.ts"
import {
  exportState,
  importResources,
  importState,
  StoredResource,
  type Site,
  type StoredState,
} from "../stack/stored-state.ts"
import { type Created, findCreated } from "./pending-creates.ts"

export type Settled = {
  /** URNs of resources that an interrupted run had created and that are in state now. */
  adopted: string[]
  /** URNs of creations that never happened, or that are safe to repeat. */
  cleared: string[]
}

type Wish = {
  stack: string
  /** The command that repairs this stack. */
  repair: string
  /** Directory of all local state. */
  state: string
  api: Api
  /** The name of Worker and database, as the stack file has it now. */
  name: string
  /** Ids of resources that the user says are the stack's own. */
  own: string[]
}

type Found = { resource: StoredResource; created: Created | undefined }
type Existing = { resource: StoredResource; created: Created }

/**
 * Settles the creations that an interrupted run left pending: the engine imports a resource that
 * exists; any other pending creation is cleared, and the next `up` repeats it. Killed at any point,
 * it starts over.
 * @throws Failure, with nothing changed, when what exists may be somebody else's
 */
export async function repairState(site: Site, wish: Wish): Promise<Settled> {
  const before = await exportState(site)
  const { pending_operations: pending, resources: known } = before.deployment
  const found = await findAll(before, wish)
  const existing = found.flatMap(({ resource, created }): Existing[] =>
    created === undefined ? [] : [{ resource, created }],
  )
  // A repair that was killed may have imported it already.
  const missing = existing.filter(({ resource }) => !known.some(({ urn }) => urn === resource.urn))
  expectOwn(missing, wish)
  const importing = missing.map(({ resource, created: { importId } }) => ({ resource, importId }))
  await importResources(site, { state: wish.state, existing: importing })

  const after = missing.length === 0 ? before : await exportState(site)
  const unused = unusedIdentities(after)
  if (pending.length + unused.length === 0) return { adopted: [], cleared: [] }
  const created = new Map(existing.map(({ resource }) => [resource.urn, resource]))
  const resources = after.deployment.resources
    .filter(({ urn }) => !unused.includes(urn))
    .map((resource) => {
      const pendingOne = created.get(resource.urn)
      return pendingOne ? asCreated(StoredResource.parse(resource), pendingOne) : resource
    })
  const deployment = { ...after.deployment, resources, pending_operations: [] }
  await importState(site, { ...after, deployment })
  for (const { type, urn } of created.values()) {
    say(
      `${paint.green("✓")} adopted ${type.split(":").at(-1)} ${urn.split("::").at(-1)}, which an interrupted run had created`,
    )
  }
  const never = found.filter(({ resource }) => !created.has(resource.urn))
  return {
    adopted: [...created.keys()],
    cleared: [...never.map(({ resource }) => resource.urn), ...unused],
  }
}

async function findAll({ deployment }: StoredState, { api, name }: Wish): Promise<Found[]> {
  const savedAt = deployment.manifest?.time
  const creations = deployment.pending_operations.filter(({ type }) => type === "creating")
  return await Promise.all(
    creations.map(async ({ resource }) => {
      const created = await findCreated(resource, { api, savedAt })
      if (created?.name === undefined || created.name === name) return { resource, created }
      say(`left alone: ${created.label}, since accounts:name is ${name} now`)
      return { resource, created: undefined }
    }),
  )
}

/** Whoever else made it would lose it: `up` would put its own tables and versions there. */
function expectOwn(missing: Existing[], { stack, repair, own }: Wish): void {
  const doubtful = missing.flatMap(({ created: { id, label, doubt } }) =>
    doubt === undefined || own.includes(id) ? [] : [{ id, text: `${label}: ${doubt}` }],
  )
  if (doubtful.length === 0) return
  const flags = doubtful.map(({ id }) => ` --own ${id}`).join("")
  throw new Failure(
    "COMMAND_FAILED",
    `A run of the stack ${stack} was interrupted while it created what exists now, but perhaps by somebody else:\n` +
      `${doubtful.map(({ text }) => `  ${text}`).join("\n")}\n` +
      `If it is the stack's own, take it in: ${repair}${flags}\n` +
      `If it is not, set accounts:name in the stack file to a name that is free, and repair the stack then.`,
  )
}

/**
 * The record of a database that was refused or never made. It would refuse another name, location or
 * jurisdiction for a database that there is none of.
 */
function unusedIdentities({ deployment: { resources } }: StoredState): string[] {
  const of = (type: string) => resources.filter((resource) => resource.type === type)
  if (of("cloudflare:index/d1Database:D1Database").length > 0) return []
  return of("accounts:index:DatabaseIdentity")
    .map(({ urn }) => urn)
    .filter((urn) => !resources.some(({ dependencies }) => dependencies?.includes(urn)))
}

/**
 * An imported resource as its creation would have left it: with the program's own inputs and
 * options, and among its outputs the inputs that Cloudflare never returns, such as a database's
 * location, which would otherwise look like a reason to replace it.
 */
function asCreated(imported: StoredResource, pending: StoredResource): StoredResource {
  const { outputs, id, created, modified } = imported
  const returned = Object.entries(outputs).filter(([, value]) => value !== null)
  const sent = Object.entries(pending.inputs).filter(([name]) => !name.startsWith("__"))
  return {
    ...imported,
    ...pending,
    id,
    created,
    modified,
    outputs: { ...outputs, ...Object.fromEntries(sent), ...Object.fromEntries(returned) },
  }
}
