import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { requireLatestDeployed, deployChanges } from "../deployments/deploy-changes.ts"
import { sourceOf } from "../deployments/deployment.api.ts"
import type { Binding } from "../plane/plane.ts"
import { ApiError, body, noQuery, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { withoutSecret } from "./binding.ts"
import { latestVersion, type Version } from "./version.store.ts"
import { withWorkerLock } from "./worker-lock.ts"
import { requireWorker, type Worker } from "./worker.store.ts"

const Secret = z.strictObject({
  name: z.string(),
  text: z.string(),
  type: z.literal("secret_text"),
})
const Bulk = z.strictObject({ secrets: z.record(z.string(), Secret.nullable()) })
/** wrangler recognises the error by its code and prints this message. */
const refusal = "Secret edit failed. You attempted to modify a secret"
const OneQuery = z.strictObject({ url_encoded: z.stringbool().optional() })

/**
 * `…/workers/scripts/{script}/secrets`. Each write copies the newest version and deploys the copy at
 * 100 %. Repeats: put creates another such version, delete fails with 10056.
 */
export function secrets(control: Control) {
  const { state } = control
  const app = new Hono()

  app.get("/:script/secrets", noQuery, (c) => {
    const worker = requireWorker(state, c.req.param("script"))
    return c.json(success(secretsOf(latestVersion(state, worker.id)).map(withoutSecret)))
  })

  app.put("/:script/secrets", noQuery, async (c) => {
    const secret = await body(c, Secret)
    await change(c.req.param("script"), { [secret.name]: secret }, c.req.header("user-agent"))
    return c.json(success(withoutSecret(secret)))
  })

  app.patch("/:script/secrets-bulk", noQuery, async (c) => {
    const sent = await body(c, Bulk)
    const version = await change(c.req.param("script"), sent.secrets, c.req.header("user-agent"))
    const resulting = secretsOf(version).map((secret) => [secret.name, withoutSecret(secret)])
    return c.json(success(Object.fromEntries(resulting)))
  })

  app.get("/:script/secrets/:name", (c) => {
    query(c, OneQuery)
    const worker = requireWorker(state, c.req.param("script"))
    return c.json(success(withoutSecret(requireSecret(worker, c.req.param("name")))))
  })

  app.delete("/:script/secrets/:name", async (c) => {
    query(c, OneQuery)
    const name = c.req.param("name")
    requireSecret(requireWorker(state, c.req.param("script")), name)
    await change(c.req.param("script"), { [name]: null }, c.req.header("user-agent"))
    return c.json(success(null))
  })

  function change(
    script: string,
    changes: Record<string, Binding | null>,
    userAgent: string | undefined,
  ): Promise<Version> {
    return withWorkerLock(control, script, (worker) => {
      const latest = requireLatestDeployed(state, worker, refusal)
      const bindings = [
        ...latest.bindings.filter(({ name }) => !(name in changes)),
        ...Object.values(changes).filter((secret) => secret !== null),
      ]
      const source = sourceOf(userAgent)
      return deployChanges(control, worker, {
        latest,
        changes: { bindings },
        source,
        trigger: "secret",
      })
    })
  }

  function requireSecret(worker: Worker, name: string): Binding {
    const secret = secretsOf(latestVersion(state, worker.id)).find((one) => one.name === name)
    if (secret !== undefined) return secret
    throw new ApiError(404, code.noBinding, `Worker ${worker.name} has no secret ${name}`)
  }

  return app
}

function secretsOf(version: Version | undefined): Binding[] {
  return (version?.bindings ?? []).filter(({ type }) => type === "secret_text")
}
