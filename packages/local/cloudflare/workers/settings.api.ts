import { Hono } from "hono"

import type { Control } from "../control.ts"
import { requireTracePropagation, visibleObservability } from "../deployments/trace-propagation.ts"
import { body, noQuery, success } from "../protocol/envelope.ts"
import { withBothDatabaseIds } from "./binding.ts"
import { latestVersion } from "./version.store.ts"
import { requireTailConsumers } from "./worker-limits.ts"
import { withWorkerLock } from "./worker-lock.ts"
import { patchSettings, SettingsPatch, type WorkerSettings } from "./worker-settings.ts"
import { requireWorker, updateWorker, type Worker } from "./worker.store.ts"

const Patch = SettingsPatch.omit({ subdomain: true })

/** `…/workers/scripts/{script}/settings`, to be read, and `script-settings`. Repeats change nothing. */
export function settings(control: Control) {
  const { state, live } = control
  const app = new Hono()

  app.get("/:script/settings", noQuery, (c) =>
    c.json(success(whole(requireWorker(state, c.req.param("script"))))),
  )

  app.get("/:script/script-settings", noQuery, (c) =>
    c.json(success(view(requireWorker(state, c.req.param("script")).settings))),
  )

  app.patch("/:script/script-settings", noQuery, async (c) => {
    const patch = await body(c, Patch)
    requireTracePropagation(control, patch.observability)
    const changed = await withWorkerLock(control, c.req.param("script"), async (worker) => {
      const next = { ...worker, settings: patchSettings(worker.settings, patch) }
      requireTailConsumers(control, next)
      state.transaction(() => updateWorker(state, next))
      live.refresh()
      return next.settings
    })
    return c.json(success(view(changed)))
  })

  function whole(worker: Worker) {
    const version = latestVersion(state, worker.id)
    return {
      ...view(worker.settings),
      bindings: (version?.bindings ?? []).map(withBothDatabaseIds),
      compatibility_date: version?.compatibility_date ?? "",
      compatibility_flags: version?.compatibility_flags ?? [],
      annotations: version?.annotations ?? {},
      usage_model: "standard",
      ...version?.runtime,
    }
  }

  function view({ logpush, observability, tags, tail_consumers }: WorkerSettings) {
    return {
      logpush,
      observability: visibleObservability(control, observability),
      tags,
      tail_consumers,
    }
  }

  return app
}
