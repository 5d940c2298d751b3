import { randomUUID } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Binding } from "../plane/plane.ts"
import { account } from "../state/seed.ts"
import type { State } from "../state/state.ts"
import type { Control } from "./control.ts"
import {
  ApiError,
  body,
  code,
  done,
  noQuery,
  paginate,
  paging,
  query,
  success,
} from "./envelope.ts"
import { Annotations, definedOnly } from "./upload.ts"
import {
  type Deployment,
  deleteDeployment,
  findVersion,
  insertDeployment,
  listDeployments,
  liveDeployment,
  requireDeployable,
  requireVersion,
} from "./version.ts"
import { type Worker, findWorker, noWorker, requireWorker, withWorkerLock } from "./worker.ts"

const Shares = z
  .array(z.strictObject({ version_id: z.uuid(), percentage: z.number().min(0).max(100) }))
  .min(1)
  .max(2)

export type Plan = {
  versions: z.infer<typeof Shares>
  source: string
  annotations: Record<string, string | undefined>
  /** Allows traffic to an earlier version although a secret has changed since it was active. */
  force?: boolean
}

/** Deploys versions. Boots them first, so that traffic never reaches a version that does not run. */
export async function deploy(control: Control, worker: Worker, plan: Plan): Promise<Deployment> {
  checkShares(plan.versions)
  for (const { version_id } of plan.versions) requireDeployable(control.state, worker, version_id)
  if (plan.force !== true) refuseChangedSecrets(control.state, worker, plan.versions)
  for (const { version_id } of plan.versions) {
    await control.live.start(requireVersion(control.state, worker, version_id), worker.name)
  }
  return publish(control, worker, plan)
}

/** Returns the shares that send all traffic to one version. */
export function allTrafficTo({ id }: { id: string }): Plan["versions"] {
  return [{ version_id: id, percentage: 100 }]
}

/** Stores the deployment in one transaction with `store`, then switches traffic and logs the deployment. */
function publish(
  { state, live, log }: Control,
  worker: Worker,
  { versions, source, annotations }: Plan,
  store = () => {},
): Deployment {
  const deployment = {
    id: randomUUID(),
    worker_id: worker.id,
    created_on: new Date().toISOString(),
    source,
    annotations: definedOnly({ "workers/triggered_by": "deployment", ...annotations }),
    versions,
  }
  state.transaction(() => {
    store()
    insertDeployment(state, deployment)
  })
  live.refresh()
  log.record({ event: "deployment", script: worker.name, deploymentId: deployment.id, versions })
  return deployment
}

function checkShares(versions: Plan["versions"]) {
  const [first, second] = versions
  if (first?.version_id === second?.version_id) {
    throw new ApiError(400, code.badPercentages, "A deployment must name each version once")
  }
  // Hundredths of a percent, because decimal shares may not add up to exactly 100 in floating point.
  const hundredths = versions.reduce((sum, { percentage }) => sum + Math.round(percentage * 100), 0)
  if (hundredths === 10_000) return
  throw new ApiError(
    400,
    code.badPercentages,
    `The percentages of a deployment must add up to 100, not ${hundredths / 100}`,
  )
}

const Creation = z.strictObject({
  strategy: z.literal("percentage"),
  versions: Shares,
  annotations: Annotations.default({}),
  /** Ignored: it concerns Durable Objects, which do not exist here. */
  code_update_strategy: z.json().optional(),
})
const CreationQuery = z.strictObject({ force: z.stringbool().optional() })

const List = z.strictObject(paging)

/**
 * `accounts/{account}/workers/scripts/{script}/deployments`. A repeated post creates another deployment, even of the
 * same versions. A repeated delete fails with 10336.
 */
export function deployments(control: Control) {
  const { state } = control
  const app = new Hono()

  app.get("/:script/deployments", (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    const { result } = paginate(listDeployments(state, worker.id), query(c, List))
    return c.json(success({ deployments: result.map(view) }))
  })

  app.post("/:script/deployments", async (c) => {
    const { force = false } = query(c, CreationQuery)
    const { versions, annotations } = await body(c, Creation)
    const source = sourceOf(c.req.header("user-agent"))
    const deployment = await withWorkerLock(control, c.req.param("script"), (worker) =>
      deploy(control, worker, { versions, annotations, source, force }),
    )
    return c.json(success(view(deployment)))
  })

  app.delete("/:script/deployments/:deployment", noQuery, async (c) => {
    await withWorkerLock(control, c.req.param("script"), async (worker) => {
      const { id } = requireDeployment(worker, c.req.param("deployment"))
      // openapi: DELETE deployments
      if (liveDeployment(state, worker.id)?.id === id) {
        throw new ApiError(400, code.badRequest, "The live deployment can't be deleted")
      }
      state.transaction(() => deleteDeployment(state, id))
    })
    return c.json(done)
  })

  function requireDeployment(worker: Worker, id: string): Deployment {
    const deployment = listDeployments(state, worker.id).find((candidate) => candidate.id === id)
    if (deployment !== undefined) return deployment
    throw new ApiError(404, code.noDeployment, `Worker ${worker.name} has no deployment ${id}`)
  }

  return app
}

function sourceOf(userAgent = ""): string {
  if (userAgent.startsWith("wrangler")) return "wrangler"
  return userAgent.startsWith("terraform") ? "terraform" : "api"
}

function view({ id, created_on, source, annotations, versions }: Deployment) {
  return {
    id,
    created_on,
    source,
    strategy: "percentage",
    author_email: account.email,
    annotations,
    versions,
  }
}

/**
 * Rejects a rollback to a version whose secrets differ from a live version's. Status, code and text are from
 * wrangler's rollback.test.ts. Assumed: only older versions count, and a secret that just one version has differs.
 * @throws ApiError 10220, for which wrangler's `rollback` asks for confirmation
 */
function refuseChangedSecrets(
  state: State,
  worker: Worker,
  newParts: Deployment["versions"],
): void {
  const [live, ...earlier] = listDeployments(state, worker.id).map(activeIn)
  const wasActive = new Set(earlier.flat())
  const changed = newParts
    .filter(({ percentage }) => percentage > 0)
    .filter(({ version_id: id }) => wasActive.has(id) && !live?.includes(id))
    .flatMap(({ version_id }) => differentFrom(version_id))
  const names = [...new Set(changed)].toSorted()
  if (names.length === 0) return
  throw new ApiError(
    400,
    code.secretChanged,
    `A secret has changed since this version was active. If you are sure this is ok, add a ?force=true query parameter to allow the rollback. The following secrets have changed: ${names.join(", ")}`,
  )

  function differentFrom(id: string): string[] {
    const target = findVersion(state, id)
    return (live ?? []).flatMap((liveId) => {
      const newer = findVersion(state, liveId)
      if (target === undefined || newer === undefined || newer.number < target.number) return []
      return changedNames(secretsOf(target.bindings), secretsOf(newer.bindings))
    })
  }
}

function activeIn({ versions }: Deployment): string[] {
  return versions.filter(({ percentage }) => percentage > 0).map(({ version_id }) => version_id)
}

function secretsOf(bindings: Binding[]): Map<string, unknown> {
  const secrets = bindings.filter(({ type }) => type === "secret_text")
  return new Map(secrets.map(({ name, text }) => [name, text]))
}

function changedNames(a: Map<string, unknown>, b: Map<string, unknown>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name))
}

/**
 * Treats a Worker without a deployment as unknown, if the doubt `undeployedUnknown` is set.
 * @throws ApiError 404
 */
export function requireKnownScript({ state, settings }: Control, name: string): void {
  if (!settings.read().doubts.undeployedUnknown) return
  const worker = findWorker(state, name)
  if (worker !== undefined && liveDeployment(state, worker.id) === undefined) throw noWorker()
}
