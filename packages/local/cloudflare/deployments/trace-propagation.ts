import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { WorkerSettings } from "../workers/worker-settings.ts"

type Observability = WorkerSettings["observability"]

const Sent = z.looseObject({
  traces: z.looseObject({ propagation_policy: z.json().optional() }).nullish(),
})

/**
 * Source: the answer to POST workers/workers quoted in terraform-provider-cloudflare#7192 and #7211.
 * That patches and script uploads are refused alike is assumed, and so is that a policy which the Worker
 * has already is none that is refused: Cloudflare's provider sends back what its state has, and Workers from
 * before this refusal have one.
 * @throws ApiError 100342 when the account lacks the feature that `propagation_policy` needs
 */
export function requireTracePropagation(
  { settings }: Pick<Control, "settings">,
  sent: unknown,
  stored?: Observability,
) {
  const policy = Sent.safeParse(sent).data?.traces?.propagation_policy ?? null
  if (policy === null || isGranted(settings)) return
  if (policy === stored?.traces.propagation_policy) return
  throw new ApiError(
    403,
    code.noTracePropagation,
    "propagation_policy requires the trace propagation feature to be enabled.",
  )
}

/** Without the feature answers lack the field (terraform-provider-cloudflare#7177). */
export function visibleObservability(
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
