import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, noQuery, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { account } from "../seed.ts"
import { withWorkerLock } from "../workers/worker-lock.ts"
import { requireWorker, updateWorker } from "../workers/worker.store.ts"

const Switches = z.strictObject({ enabled: z.boolean(), previews_enabled: z.boolean().optional() })
const Name = z.strictObject({ subdomain: z.string() })

/** `…/workers/scripts/{script}/subdomain`: turns workers.dev on or off. Repeats change nothing. */
export function scriptSubdomains(control: Control) {
  const { state, live } = control
  const app = new Hono()

  app.get("/:script/subdomain", (c) => {
    query(c, noQuery)
    return c.json(success(requireWorker(state, c.req.param("script")).settings.subdomain))
  })

  app.post("/:script/subdomain", async (c) => {
    query(c, noQuery)
    return c.json(success(await change(c.req.param("script"), await body(c, Switches))))
  })

  app.delete("/:script/subdomain", async (c) => {
    query(c, noQuery)
    const off = { enabled: false, previews_enabled: false }
    return c.json(success(await change(c.req.param("script"), off)))
  })

  function change(script: string, { enabled, previews_enabled }: z.infer<typeof Switches>) {
    return withWorkerLock(control, script, async (worker) => {
      const subdomain = {
        enabled,
        // When absent, it follows a change of `enabled` and otherwise keeps its value.
        previews_enabled:
          previews_enabled ??
          (enabled === worker.settings.subdomain.enabled
            ? worker.settings.subdomain.previews_enabled
            : enabled),
      }
      const settings = { ...worker.settings, subdomain }
      state.transaction(() => updateWorker(state, { ...worker, settings }))
      live.refresh()
      return subdomain
    })
  }

  return app
}

/** `accounts/{account}/workers/subdomain`: the account's name under workers.dev, set by the seed. */
export function accountSubdomain() {
  const app = new Hono()
  const subdomain = account.workersDevelopmentSubdomain

  app.get("/", (c) => {
    query(c, noQuery)
    return c.json(success({ subdomain }))
  })

  app.put("/", async (c) => {
    const wanted = await body(c, Name)
    if (wanted.subdomain === subdomain) return c.json(success({ subdomain }))
    const message = `Account already has an associated subdomain: ${subdomain}`
    throw new ApiError(409, code.subdomainExists, message)
  })

  return app
}
