import * as z from "zod"

import { parse } from "../protocol/envelope.ts"
import { Annotations } from "./upload.ts"
import { RuntimeSettings, type Version } from "./version.store.ts"
import { mergePatch } from "./worker-settings.ts"

/** What a merge patch of the newest version may change; `env` has its bindings by name. */
export const VersionPatch = z.strictObject({
  env: z.record(z.string(), z.looseObject({ type: z.string() }).nullable()).default({}),
  annotations: z.json().optional(),
  compatibility_date: z.json().optional(),
  compatibility_flags: z.json().optional(),
  limits: z.json().optional(),
  placement: z.json().optional(),
})
const Patched = z.strictObject({
  annotations: Annotations.default({}),
  compatibility_date: z.iso.date().optional(),
  compatibility_flags: z.array(z.string()).default([]),
  ...RuntimeSettings.shape,
})

/**
 * What is left out is inherited, annotations included: OpenAPI, `patchLatestWorkerVersion`. It does not
 * have aliases, of which each leads to one version.
 */
export function patchVersion(
  { annotations: all, compatibility_date, compatibility_flags, runtime }: Version,
  patch: Omit<z.infer<typeof VersionPatch>, "env">,
): z.infer<typeof Patched> {
  const { "workers/alias": _, ...annotations } = all
  const date = compatibility_date !== "" && { compatibility_date }
  const latest = { annotations, ...date, compatibility_flags, ...runtime }
  return parse(Patched, mergePatch(latest, patch))
}
