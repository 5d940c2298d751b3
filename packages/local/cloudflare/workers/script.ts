import type { Control } from "../control.ts"
import { alone, publish } from "../deployments/deploy.ts"
import { requireTracePropagation } from "../deployments/trace-propagation.ts"
import type { Binding, Module } from "../plane/plane.ts"
import { parse } from "../protocol/envelope.ts"
import { resolveBindings } from "./binding.ts"
import type { Metadata } from "./multipart.ts"
import type { Upload } from "./upload.ts"
import { prepareVersion } from "./upload.ts"
import type { RuntimeSettings, Version } from "./version.store.ts"
import { insertVersion, latestVersion, modulesOf } from "./version.store.ts"
import { requireTailConsumers } from "./worker-limits.ts"
import type { WorkerSettings } from "./worker-settings.ts"
import { WorkerSettings as Settings, defaultSettings } from "./worker-settings.ts"
import type { Worker } from "./worker.store.ts"
import { findWorker, insertWorker, newWorker, requireWorker, updateWorker } from "./worker.store.ts"

export type Script = { metadata: Metadata; modules: Module[]; source: string }

/** Turns a script upload into a version; bindings to keep come from the newest version. */
export async function uploadFromScript(
  { state }: Pick<Control, "state">,
  worker: Worker,
  { metadata, modules, source }: Script,
  trigger: "upload" | "version_upload",
): Promise<Upload> {
  const previous = latestVersion(state, worker.id)?.bindings ?? []
  const sent = resolveBindings(state, worker, metadata.bindings)
  return {
    source,
    mainModule: metadata.main_module ?? metadata.body_part ?? "",
    modules,
    compatibilityDate: metadata.compatibility_date || undefined,
    compatibilityFlags: metadata.compatibility_flags,
    bindings: [...sent, ...keptBindings(previous, sent, metadata.keep_bindings)],
    annotations: { "workers/triggered_by": trigger, ...metadata.annotations },
    runtime: runtimeOf(metadata),
  }
}

export function runtimeOf({ limits, placement }: RuntimeSettings): RuntimeSettings {
  return { ...(limits && { limits }), ...(placement && { placement }) }
}

/** Binding types kept by an upload without `keep_bindings`. */
const keptByDefault = ["secret_text", "secret_key"]

export function keptBindings(
  previous: Binding[],
  sent: Binding[],
  types = keptByDefault,
): Binding[] {
  const names = new Set(sent.map(({ name }) => name))
  return previous.filter(({ name, type }) => types.includes(type) && !names.has(name))
}

/** Creates the Worker if it is missing, uploads a version and deploys it, atomically. */
export async function putScript(control: Control, name: string, script: Script) {
  const { state, withLock } = control
  requireTracePropagation(control, script.metadata.observability)
  return withLock(`script:${name}`, async () => {
    const known = findWorker(state, name)
    if (known === undefined) return replaceScript(control, newWorker(name, defaultSettings), script)
    return withLock(`worker:${known.id}`, () =>
      replaceScript(control, requireWorker(state, known.id), script),
    )
  })
}

async function replaceScript(control: Control, worker: Worker, script: Script) {
  const next = { ...worker, settings: settingsOf(worker.settings, script.metadata) }
  requireTailConsumers(control, next)
  const { state } = control
  const upload = await uploadFromScript(control, worker, script, "upload")
  const version = await prepareVersion(control, next, upload)
  const plan = {
    versions: alone(version),
    source: upload.source,
    // As the snapshots of wrangler's own e2e tests have it.
    annotations: {
      "workers/triggered_by": "upload",
      "workers/message": "Automatic deployment on upload.",
    },
  }
  publish(control, next, plan, () => {
    if (findWorker(state, next.id) === undefined) insertWorker(state, next)
    else updateWorker(state, next)
    insertVersion(state, version)
  })
  return { worker: requireWorker(state, next.id), version }
}

function settingsOf(settings: WorkerSettings, metadata: Metadata): WorkerSettings {
  const { logpush, observability, tags, tail_consumers } = metadata
  return parse(Settings, {
    ...settings,
    logpush: logpush ?? settings.logpush,
    observability: observability ?? settings.observability,
    tags: tags ?? settings.tags,
    tail_consumers: tail_consumers ?? settings.tail_consumers,
  })
}

export async function copyOfVersion(
  { blobs }: Pick<Control, "blobs">,
  latest: Version,
  bindings: Binding[],
): Promise<Upload> {
  return {
    source: latest.source,
    mainModule: latest.main_module,
    modules: await modulesOf(latest, blobs),
    compatibilityDate: latest.compatibility_date || undefined,
    compatibilityFlags: latest.compatibility_flags,
    bindings,
    annotations: latest.annotations,
    runtime: latest.runtime,
  }
}
