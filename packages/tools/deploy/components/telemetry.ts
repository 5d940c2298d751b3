import type { WorkerArgs } from "@pulumi/cloudflare"

import type { Environment } from "../../environment/environment.ts"

type Telemetry = Pick<WorkerArgs, "logpush" | "observability" | "tailConsumers">

/**
 * What leaves the Worker beside its answers. Complete, because the API returns what is left out, and Pulumi
 * then sees drift. Without `issues` and `propagationPolicy`, which the provider computes: Cloudflare may refuse
 * what an account has no feature for.
 */
export function telemetryOf(environment: Environment): Telemetry {
  const { logSampling, logDestinations, traceSampling, traceDestinations } = environment
  const { logpush, tailConsumers } = environment
  return {
    logpush,
    ...(tailConsumers.length > 0 && { tailConsumers: tailConsumers.map((name) => ({ name })) }),
    observability: {
      enabled: true,
      headSamplingRate: logSampling,
      logs: {
        enabled: true,
        headSamplingRate: logSampling,
        // Cloudflare's own line of a request names its whole URL, and with it the token of a mail's link.
        invocationLogs: logDestinations.length === 0,
        persist: true,
        destinations: logDestinations,
      },
      traces: {
        enabled: traceSampling > 0,
        headSamplingRate: traceSampling || 1,
        persist: true,
        destinations: traceDestinations,
      },
    },
  }
}
