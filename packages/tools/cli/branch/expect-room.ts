import { counted } from "../../base/counted.ts"
import { Failure } from "../../base/failure.ts"
import type { StackChoice } from "../local-options.ts"
import { say } from "../output.ts"
import { describeHeld, openPreviewAccount } from "./held-previews.ts"
import { hasStack, listPreviews } from "./preview-stack.ts"

/** Cron triggers of an account with Workers Paid: https://developers.cloudflare.com/workers/platform/limits/ */
const mostPreviews = 250

/**
 * Asks, before anything is made, what the account and its token answer. The plan can be read with rights
 * on billing alone, and that a token may write shows only when it does.
 * @throws Failure if it may not read, or has the preview already and no stack of this backend knows it
 */
export async function expectRoom(stack: string, options: StackChoice): Promise<void> {
  await using account = await openPreviewAccount(options)
  const held = await account.held()
  const own = held.get(stack)
  const warning = own === undefined ? warningOfRoom(held.size) : undefined
  if (warning !== undefined) say(warning)
  if (own === undefined || hasStack(await listPreviews(options), stack)) return
  throw new Failure(
    "COMMAND_FAILED",
    `No stack of this backend knows what the account has of ${stack}: ${describeHeld(own)}. Nothing was changed. ` +
      `Delete it with ./accounts branch down ${stack}, or deploy with the backend that knows it.`,
  )
}

/** Cloudflare may have raised the limit for an account. */
export function warningOfRoom(previews: number): string | undefined {
  if (previews < 0.9 * mostPreviews) return undefined
  return `The account has ${counted(previews, "preview")}, each with a cron trigger, of which Workers Paid allows ${mostPreviews}: see ./accounts branch sweep.`
}
