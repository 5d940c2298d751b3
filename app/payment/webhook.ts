import type { Context } from "hono"

import { fail } from "../service/platform/http/failure.ts"
import { log, reasonOf } from "../service/platform/http/log.ts"
import type { HonoEnv } from "../service/platform/http/routing.ts"
import { reached } from "./payment.rpc.ts"
import { paymentEvent } from "./payment.table.ts"
import { reverse, settle } from "./settlement.ts"

/**
 * Receives the payment provider's events. It is not a typed procedure, because the signature covers the raw body. The
 * provider retries after any status except 2xx.
 */
export async function processWebhook(context: Context<HonoEnv>) {
  const { database, payments } = context.get("services")
  if (payments === undefined) return fail(context, "PAYMENT_NOT_CONFIGURED")
  const body = await context.req.text()
  const signature = context.req.header("stripe-signature") ?? ""
  const now = new Date()
  const event = read(() => payments.readEvent({ body, signature, now }))
  if (event === null) return fail(context, "INVALID_SIGNATURE")
  const received = database
    .insert(paymentEvent)
    .values({ id: event.id, type: event.type, receivedAt: now })
    .onConflictDoNothing()
  if (event.about === null) {
    const reversals = await reached(payments.reversalsOf(event))
    if (reversals === null) return fail(context, "PAYMENT_UNAVAILABLE")
    const [reversal] = reversals
    await (reversal ? reverse({ database, now, reversal, event: received }) : received)
  } else await settle({ database, payments, now, settlement: event.about, event: received })
  return context.json({ received: true })
}

function read<Event>(readEvent: () => Event | null) {
  try {
    return readEvent()
  } catch (error) {
    log("error", "webhook.unreadable", { reason: reasonOf(error) })
    return null
  }
}
