import { setTimeout as sleep } from "node:timers/promises"

import { Locked, say } from "../output.ts"
import type { LocalStack } from "../stack/local-stack.ts"
import { mendLocal } from "../stack/repair.ts"
import { up } from "../stack/stack.ts"
import type { Deployment } from "./deployment.ts"
import { tellEnds } from "./sandbox-keys.ts"

/** Milliseconds that another run may hold the stack, and between two looks. */
const lockLimit = 120_000
const pollInterval = 500

type Options = {
  signal: AbortSignal
  /** Whether a killed run may have left something open. */
  mend: boolean
}

/** Brings a local stack up; when another `start` is deploying the same edit, after it. */
export async function deploy(local: LocalStack, { signal, mend }: Options): Promise<Deployment> {
  const began = performance.now()
  const { changes, outputs } = await inTurn(signal, async (waited) => {
    if (mend || waited) await mendLocal(local)
    signal.throwIfAborted()
    // The Automation API never takes its listener off again: each run gets a signal of its own.
    return await up(local.stack, { signal: AbortSignal.any([signal]) })
  })
  if (mend) await tellEnds(local, String(outputs["url"]))
  return {
    stack: local.project.stack,
    provider: local.provider,
    changes,
    outputs,
    milliseconds: performance.now() - began,
  }
}

async function inTurn<Result>(
  signal: AbortSignal,
  act: (waited: boolean) => Promise<Result>,
): Promise<Result> {
  const patience = performance.now() + lockLimit
  for (let waited = false; ; waited = true) {
    try {
      return await act(waited)
    } catch (error) {
      if (!(error instanceof Locked) || performance.now() > patience) throw error
      if (!waited) say("  Another run is deploying this stack: waiting for it.")
      await sleep(pollInterval, undefined, { signal })
    }
  }
}
