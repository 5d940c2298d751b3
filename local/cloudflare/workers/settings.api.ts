import { Hono } from "hono"

import type { Control } from "../control.ts"
import { body, noQuery, query, success } from "../envelope.ts"
import { withBothDatabaseIds } from "./binding.ts"
import { withWorker } from "./turn.ts"
import { latestVersion } from "./version.store.ts"
import type { WorkerSettings } from "./worker-settings.ts"
import { SettingsPatch, patchSettings } from "./worker-settings.ts"
import { requireWorker, updateWorker } from "./worker.store.ts"

const Patch = SettingsPatch.omit({ subdomain: true })

/** `…/workers/scripts/{script}/settings` and `script-settings`. Repeats change nothing. */
export function settings(control: Control) {
  const { state, live } = control
  const app = new Hono()

  app.get("/:script/settings", (c) => {
    query(c, noQuery)
    const worker = requireWorker(state, c.req.param("script"))
    const version = latestVersion(state, worker.id)
    return c.json(
      success({
        ...view(worker.settings),
        bindings: (version?.bindings ?? []).map(withBothDatabaseIds),
        compatibility_date: version?.compatibility_date ?? "",
        compatibility_flags: version?.compatibility_flags ?? [],
        annotations: version?.annotations ?? {},
        usage_model: "standard",
        placement: {},
      }),
    )
  })

  app.get("/:script/script-settings", (c) => {
    query(c, noQuery)
    return c.json(success(view(requireWorker(state, c.req.param("script")).settings)))
  })

  app.patch("/:script/script-settings", async (c) => {
    query(c, noQuery)
    const patch = await body(c, Patch)
    const changed = await withWorker(control, c.req.param("script"), async (worker) => {
      const next = { ...worker, settings: patchSettings(worker.settings, patch) }
      state.transaction(() => updateWorker(state, next))
      live.refresh()
      return next.settings
    })
    return c.json(success(view(changed)))
  })

  return app
}

function view({ logpush, observability, tags, tail_consumers }: WorkerSettings) {
  return { logpush, observability, tags, tail_consumers }
}
