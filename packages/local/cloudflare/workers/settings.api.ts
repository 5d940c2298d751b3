import { type Context, Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { requireLatestDeployed, deployChanges } from "../deployments/deploy-changes.ts"
import { sourceOf } from "../deployments/deployment.api.ts"
import { requireTracePropagation, visibleObservability } from "../deployments/trace-propagation.ts"
import type { Binding } from "../plane/plane.ts"
import {
  UnknownInputError,
  body,
  noQuery,
  parse,
  parseJson,
  success,
} from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { Bindings, resolveBindings, withBothDatabaseIds } from "./binding.ts"
import { ClassMigrations } from "./class-migrations.ts"
import { readForm } from "./multipart.ts"
import { keptBindings, runtimeOf } from "./script.ts"
import { Annotations } from "./upload.ts"
import { latestVersion, RuntimeSettings, type Version } from "./version.store.ts"
import { requireTailConsumers } from "./worker-limits.ts"
import { withWorkerLock } from "./worker-lock.ts"
import { patchSettings, SettingsPatch, type WorkerSettings } from "./worker-settings.ts"
import { requireWorker, updateWorker, type Worker } from "./worker.store.ts"

const Patch = SettingsPatch.omit({ subdomain: true })
/** Settings of the Worker and of its version; a change of the latter creates a version. */
const WholePatch = z.strictObject({
  ...Patch.shape,
  bindings: Bindings.optional(),
  compatibility_date: z.iso.date().optional(),
  compatibility_flags: z.array(z.string()).optional(),
  annotations: Annotations.optional(),
  migrations: ClassMigrations,
  usage_model: z.literal("standard").optional(),
  ...RuntimeSettings.shape,
})

/**
 * `…/workers/scripts/{script}/settings` and `script-settings`. Repeats change nothing, except that a
 * patch of a version's settings deploys another version.
 */
export function settings(control: Control) {
  const { state, live } = control
  const app = new Hono()

  app.get("/:script/settings", noQuery, (c) =>
    c.json(success(whole(requireWorker(state, c.req.param("script"))))),
  )

  app.patch("/:script/settings", noQuery, async (c) => {
    const sent = parse(WholePatch, await readSettings(c))
    requireTracePropagation(control, sent.observability)
    const source = sourceOf(c.req.header("user-agent"))
    const changed = await withWorkerLock(control, c.req.param("script"), async (worker) => {
      const { bindings, compatibility_date, compatibility_flags, annotations } = sent
      const { usage_model: _, migrations: _none, limits, placement, ...rest } = sent
      const patched = patchSettings(worker.settings, Patch.strip().parse(rest))
      requireTailConsumers(control, { ...worker, settings: patched })
      const runtime = { limits, placement }
      const ofVersion = [
        bindings,
        compatibility_date,
        compatibility_flags,
        annotations,
        limits,
        placement,
      ]
      if (ofVersion.some((value) => value !== undefined)) {
        const latest = requireLatestDeployed(
          state,
          worker,
          "You attempted to change a Worker's settings",
        )
        await deployChanges(control, worker, {
          latest,
          source,
          trigger: "settings",
          changes: {
            ...(bindings && { bindings: replaced(worker, latest, bindings) }),
            ...(compatibility_date && { compatibilityDate: compatibility_date }),
            runtime: { ...latest.runtime, ...runtimeOf(runtime) },
            ...(compatibility_flags && { compatibilityFlags: compatibility_flags }),
            ...(annotations && { annotations }),
          },
        })
      }
      state.transaction(() => updateWorker(state, { ...worker, settings: patched }))
      live.refresh()
      return requireWorker(state, worker.id)
    })
    return c.json(success(whole(changed)))
  })

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

  /** Clients send all bindings again, but only those secrets that change. */
  function replaced(worker: Worker, latest: Version, sent: z.infer<typeof Bindings>): Binding[] {
    const bindings = resolveBindings(state, worker, sent)
    return [...bindings, ...keptBindings(latest.bindings, bindings)]
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

/** Reads a form with one JSON part, as the specification requires. */
async function readSettings(c: Context): Promise<unknown> {
  const form = await readForm(c)
  const other = [...form.keys()].find((name) => name !== "settings")
  if (other !== undefined) {
    throw new UnknownInputError(
      400,
      code.badMetadata,
      `Unrecognized part ${other}: send \`settings\``,
    )
  }
  const part = form.get("settings") ?? "{}"
  return parseJson(typeof part === "string" ? part : await part.text())
}
