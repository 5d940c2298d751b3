import { Hono } from "hono"
import * as z from "zod"

import { workersDevHost, zones } from "../state/seed.ts"
import type { State } from "../state/state.ts"
import type { Control } from "./control.ts"
import { listDomains } from "./dns-record.ts"
import {
  ApiError,
  body,
  code,
  done,
  noQuery,
  pageOf,
  query,
  shortPaging,
  success,
} from "./envelope.ts"
import { listVersionIds, liveDeployment } from "./version.ts"
import {
  SettingsPatch,
  type Worker,
  WorkerSettings,
  checkWorker,
  deleteWorker,
  findWorker,
  insertWorker,
  listWorkers,
  newWorker,
  patchSettings,
  requireWorker,
  updateWorker,
  withWorkerLock,
} from "./worker.ts"

const Whole = z.strictObject({ name: z.string(), ...WorkerSettings.shape })
const Patch = z.strictObject({ name: z.string().optional(), ...SettingsPatch.shape })
const List = z.strictObject({
  ...shortPaging,
  order_by: z.enum(["deployed_on", "updated_on", "created_on", "name"]).default("deployed_on"),
  order: z.enum(["asc", "desc"]).default("desc"),
})

/**
 * `accounts/{account}/workers/workers`, by id or name. A repeated create fails with 10040, a repeated delete with
 * 10007. A repeated put or patch changes nothing.
 */
export function workers(control: Control) {
  const { state, live, crons } = control
  const app = new Hono()
  const view = (worker: Worker) => viewWorker(control, worker)

  app.get("/", (c) => {
    const { order_by, order, ...page } = query(c, List)
    const sorted = listWorkers(state)
      .map(view)
      .toSorted((a, b) => (a[order_by] ?? "").localeCompare(b[order_by] ?? ""))
    const ordered = order === "asc" ? sorted : sorted.toReversed()
    return c.json(pageOf(ordered, page, { totalPages: true }))
  })

  app.post("/", noQuery, async (c) => {
    const { name, ...settings } = await body(c, Whole)
    requireTracePropagation(control, settings.observability)
    checkWorker(control, { name, settings })
    const worker = newWorker(name, settings)
    state.transaction(() => {
      refuseTaken(name)
      insertWorker(state, worker)
    })
    live.refresh()
    return c.json(success(view(worker)))
  })

  app.get("/:worker", noQuery, (c) =>
    c.json(success(view(requireWorker(state, c.req.param("worker"))))),
  )

  app.put("/:worker", noQuery, async (c) => {
    const { name, ...settings } = await body(c, Whole)
    const changed = await change(c.req.param("worker"), (worker) => {
      requireTracePropagation(control, settings.observability, worker.settings.observability)
      return { name, settings }
    })
    return c.json(success(changed))
  })

  app.patch("/:worker", noQuery, async (c) => {
    const { name, ...patch } = await body(c, Patch)
    const changed = await change(c.req.param("worker"), (worker) => {
      requireTracePropagation(control, patch.observability, worker.settings.observability)
      return { name: name ?? worker.name, settings: patchSettings(worker.settings, patch) }
    })
    return c.json(success(changed))
  })

  app.delete("/:worker", noQuery, async (c) => {
    await removeWorker(control, c.req.param("worker"))
    return c.json(done)
  })

  function change(
    idOrName: string,
    next: (worker: Worker) => { name: string; settings: WorkerSettings },
  ) {
    return withWorkerLock(control, idOrName, async (worker) => {
      const { name, settings } = next(worker)
      checkWorker(control, { name, settings })
      state.transaction(() => {
        if (name !== worker.name) refuseTaken(name)
        updateWorker(state, { id: worker.id, name, settings })
      })
      live.refresh()
      crons.refresh()
      return view(requireWorker(state, worker.id))
    })
  }

  function refuseTaken(name: string) {
    if (findWorker(state, name) === undefined) return
    throw new ApiError(409, code.workerExists, `A Worker with the name '${name}' already exists`)
  }

  return app
}

function viewWorker(control: Control, worker: Worker) {
  const { state } = control
  const host = workersDevHost(worker.name)
  const { subdomain, ...settings } = worker.settings
  return {
    id: worker.id,
    name: worker.name,
    created_on: worker.created_on,
    updated_on: worker.updated_on,
    deployed_on: liveDeployment(state, worker.id)?.created_on ?? null,
    ...settings,
    observability: visibleObservability(control, settings.observability),
    subdomain: { ...subdomain, url: `https://${host}`, preview_url_suffix: `-${host}` },
    references: {
      domains: domainsOf(state, worker),
      durable_objects: [],
      queues: [],
      workers: [],
      dispatch_namespace_outbounds: [],
    },
  }
}

function domainsOf(state: State, worker: Worker) {
  return listDomains(state)
    .filter((domain) => domain.worker_id === worker.id)
    .map(({ id, hostname, cert_id, zone_id }) => ({
      id,
      hostname,
      certificate_id: cert_id,
      zone_id,
      zone_name: zones.find((zone) => zone.id === zone_id)?.name ?? "",
    }))
}

/** Deletes a Worker with its versions, deployments, domains, routes and schedules. */
async function removeWorker(control: Control, idOrName: string) {
  await withWorkerLock(control, idOrName, async ({ id }) => {
    const versionIds = listVersionIds(control.state, id)
    control.state.transaction(() => deleteWorker(control.state, id))
    control.live.refresh()
    control.crons.refresh()
    control.live.retire(versionIds)
  })
}

type Observability = WorkerSettings["observability"]

const Sent = z.looseObject({
  traces: z.looseObject({ propagation_policy: z.json().optional() }).nullish(),
})

/**
 * Rejects `propagation_policy` if the account lacks the feature. The text is Cloudflare's response to POST
 * workers/workers (terraform-provider-cloudflare#7192, #7211). Assumed: patches and script uploads fail too, but an
 * unchanged policy does not, because Cloudflare's provider sends back the policy of older Workers.
 * @throws ApiError 100342
 */
function requireTracePropagation(
  { settings }: Pick<Control, "settings">,
  input: unknown,
  stored?: Observability,
) {
  const policy = Sent.safeParse(input).data?.traces?.propagation_policy ?? null
  if (policy === null || isGranted(settings)) return
  if (policy === stored?.traces.propagation_policy) return
  throw new ApiError(
    403,
    code.noTracePropagation,
    "propagation_policy requires the trace propagation feature to be enabled.",
  )
}

/** Omits `propagation_policy` if the account lacks the feature (terraform-provider-cloudflare#7177). */
function visibleObservability(
  { settings }: Pick<Control, "settings">,
  { traces, ...observability }: Observability,
) {
  const { propagation_policy, ...rest } = traces
  if (!isGranted(settings)) return { ...observability, traces: rest }
  const policy = propagation_policy ?? "authenticated"
  return { ...observability, traces: { ...rest, propagation_policy: policy } }
}

function isGranted(settings: Control["settings"]): boolean {
  return settings.read().features.includes("trace_propagation")
}
