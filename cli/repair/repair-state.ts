import { paint, say } from "../output.ts"
import {
  exportState,
  importResources,
  importState,
  StoredResource,
  type Existing,
  type Site,
} from "../stack/stored-state.ts"
import { findCreated } from "./pending-creates.ts"

export type Settled = {
  /** URNs of resources that an interrupted run had created and that are in state now. */
  adopted: string[]
  /** URNs of creations that never happened, or that are safe to repeat. */
  cleared: string[]
}

/**
 * Settles the creations that an interrupted run left pending: the engine imports a resource that
 * exists; any other pending creation is cleared, and the next `up` repeats it. Killed at any point,
 * it starts over.
 */
export async function repairState(
  site: Site,
  { state, token }: { state: string; token: string },
): Promise<Settled> {
  const before = await exportState(site)
  const { pending_operations: pending, resources: known } = before.deployment
  if (pending.length === 0) return { adopted: [], cleared: [] }
  const api = { baseUrl: site.project.baseUrl, token }
  const creating = pending.filter(({ type }) => type === "creating")
  const found = await Promise.all(
    creating.map(async ({ resource }) => ({
      resource,
      importId: await findCreated(resource, api),
    })),
  )
  const existing = found.flatMap(({ resource, importId }): Existing[] =>
    importId === undefined ? [] : [{ resource, importId }],
  )
  // A repair that was killed may have imported it already.
  const missing = existing.filter(({ resource }) => !known.some(({ urn }) => urn === resource.urn))
  await importResources(site, { state, existing: missing })

  const after = await exportState(site)
  const created = new Map(existing.map(({ resource }) => [resource.urn, resource]))
  const resources = after.deployment.resources.map((resource) => {
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
  return {
    adopted: [...created.keys()],
    cleared: found.flatMap(({ resource, importId }) => (importId ? [] : [resource.urn])),
  }
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
