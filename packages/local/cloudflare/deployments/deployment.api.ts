import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import {
  ApiError,
  body,
  done,
  noQuery,
  paginate,
  paging,
  query,
  success,
} from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { account } from "../seed.ts"
import { Annotations } from "../workers/upload.ts"
import { withWorkerLock } from "../workers/worker-lock.ts"
import type { Worker } from "../workers/worker.store.ts"
import { requireWorker } from "../workers/worker.store.ts"
import { Shares, deploy } from "./deploy.ts"
import type { Deployment } from "./deployment.store.ts"
import { deleteDeployment, listDeployments, liveDeployment } from "./deployment.store.ts"

const Creation = z.strictObject({
  strategy: z.literal("percentage"),
  versions: Shares,
  annotations: Annotations.default({}),
  /** For Durable Objects, which do not exist here. */
  code_update_strategy: z.json().optional(),
})
const CreationQuery = z.strictObject({ force: z.stringbool().optional() })

const List = z.strictObject(paging)

/**
 * `accounts/{account}/workers/scripts/{script}/deployments`. Repeats: every post creates a
 * deployment, even of the same versions; delete fails with 10336.
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
    const found = listDeployments(state, worker.id).find((one) => one.id === id)
    if (found !== undefined) return found
    throw new ApiError(404, code.noDeployment, `Worker ${worker.name} has no deployment ${id}`)
  }

  return app
}

export function sourceOf(userAgent = ""): string {
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
