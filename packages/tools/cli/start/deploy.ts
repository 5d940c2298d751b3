import { setTimeout as sleep } from "node:timers/promises"

import { isFailure } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"
import { say } from "../output.ts"
import { askSandbox, findSandboxes, openidClientId } from "../process/sandbox.ts"
import { withUnmanagedReport } from "../repair/repair-state.ts"
import { repairLocalStack } from "../repair/repair.ts"
import { emptyStackDatabase } from "../stack/hold.ts"
import type { LocalStack } from "../stack/local-stack.ts"
import { loadProgram, up } from "../stack/stack.ts"
import type { Deployment } from "./deployment-result.ts"

// Loaded with this module, so that Node reports a broken program with file and line.
await loadProgram()

/** How long to wait for another run to release the stack (ms). */
const lockTimeout = 120_000

/** Polling interval (ms). */
const pollInterval = 500

type Options = {
  signal: AbortSignal
  /** True for the first deployment of a process: an earlier run may have been killed. */
  first: boolean
  /** Empties the database first. */
  fresh: boolean
}

/** Deploys a local stack, after any other `start` that is deploying the same edit. */
export async function deploy(
  local: LocalStack,
  { signal, first, fresh }: Options,
): Promise<Deployment> {
  const began = performance.now()
  let secrets: Record<string, string> = {}
  const onGenerated = (generated: Record<string, string>) => (secrets = generated)
  const { changes, outputs } = await whenUnlocked(signal, async (waited) => {
    if (first || waited) await repairLocalStack(local)
    signal.throwIfAborted()
    if (fresh) await emptyStackDatabase(local)
    // The Automation API never removes its listener, so each run gets a new signal.
    const options = { signal: AbortSignal.any([signal]), onGenerated }
    return await withUnmanagedReport(local, { local: true, signal }, () => up(local.stack, options))
  })
  // If the stack was destroyed and created again, its keys are new.
  const hasNewKeys = first || (changes["create"] ?? 0) > 0
  if (hasNewKeys) await shareKeysWithSandboxes(local, { url: String(outputs["url"]), secrets })
  return {
    stack: local.project.stack,
    provider: local.provider,
    changes,
    outputs,
    milliseconds: performance.now() - began,
  }
}

async function whenUnlocked<Result>(
  signal: AbortSignal,
  act: (waited: boolean) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + lockTimeout
  for (let waited = false; ; waited = true) {
    try {
      return await act(waited)
    } catch (error) {
      if (!isFailure(error, "LOCKED") || performance.now() > deadline) throw error
      if (!waited) say("  Another run is deploying this stack: waiting for it.")
      await sleep(pollInterval, undefined, { signal })
    }
  }
}

type Service = {
  url: string
  /** The secrets that its stack has generated, by binding. */
  secrets: Record<string, string>
}

/** Gives the running sandboxes of a state directory the keys that the deployed service shares with them. */
async function shareKeysWithSandboxes(
  { state }: Pick<LocalStack, "state">,
  { url, secrets }: Service,
): Promise<void> {
  const { mail, payment, openid } = await findSandboxes(state)
  const { MAIL_SECRET: mailSecret } = secrets
  if (mail && mailSecret) {
    await askSandbox(mail, { path: "/local/keys", body: { secret: mailSecret } })
  }
  const { PAYMENT_SECRET: secret, PAYMENT_WEBHOOK_SECRET: webhookSecret } = secrets
  if (payment && secret && webhookSecret) {
    const webhookUrl = new URL(project.paths.paymentWebhook, url).href
    await askSandbox(payment, { path: "/local/keys", body: { secret, webhookSecret, webhookUrl } })
  }
  const { IDP_CLIENT_SECRET: clientSecret } = secrets
  if (openid && clientSecret) {
    const redirectUri = new URL("/api/auth/callback/idp", url).href
    const body = { clientId: openidClientId, clientSecret, redirectUri }
    await askSandbox(openid, { path: "/local/keys", body })
  }
}
