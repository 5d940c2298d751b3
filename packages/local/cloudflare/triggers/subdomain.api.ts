import { Hono } from "hono"
import * as z from "zod"

import { readSubdomain, writeSubdomain } from "../account/account-setting.store.ts"
import type { Control } from "../control.ts"
import { ApiError, body, noQuery, success } from "../protocol/envelope.ts"
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

  app.get("/:script/subdomain", noQuery, (c) =>
    c.json(success(requireWorker(state, c.req.param("script")).settings.subdomain)),
  )

  app.post("/:script/subdomain", noQuery, async (c) =>
    c.json(success(await change(c.req.param("script"), await body(c, Switches)))),
  )

  app.delete("/:script/subdomain", noQuery, async (c) => {
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

/**
 * `accounts/{account}/workers/subdomain`: the account's name under workers.dev. It can be deleted; only the
 * seed's can be registered again, as certificates have no other.
 */
export function accountSubdomain({ state, live }: Control) {
  const app = new Hono()

  app.get("/", noQuery, (c) => {
    const subdomain = readSubdomain(state)
    if (subdomain !== undefined) return c.json(success({ subdomain }))
    // wrangler registers a name on this code (getOrRegisterWorkersDevSubdomain); its text is assumed.
    throw new ApiError(404, code.noWorker, "The account has no workers.dev subdomain")
  })

  app.put("/", async (c) => {
    const wanted = await body(c, Name)
    const subdomain = account.workersDevelopmentSubdomain
    if (wanted.subdomain !== subdomain) {
      const message = `Account already has an associated subdomain: ${subdomain}`
      throw new ApiError(409, code.subdomainExists, message)
    }
    register(true)
    return c.json(success({ subdomain }))
  })

  // Source: the OpenAPI document, worker-subdomain-delete-subdomain.
  app.delete("/", noQuery, (c) => {
    register(false)
    return c.body(null, 204)
  })

  function register(registered: boolean) {
    state.transaction(() => writeSubdomain(state, registered))
    live.refresh()
  }

  return app
}
