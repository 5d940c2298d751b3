import type { Context } from "hono"

import { fail } from "../http/failure.ts"
import type { Http } from "../http/hono-env.ts"
import { log, reasonOf } from "../http/log.ts"
import { paymentEvent } from "./payment.table.ts"
import type { PaymentEvent } from "./provider.ts"
import { settle } from "./settlement.ts"

/**
 * Takes the payment provider's events. It is no typed procedure: the signature covers the body's
 * bytes. Whatever is not a 2xx makes the provider try again.
 */
export async function processWebhook(context: Context<Http>) {
  const { database, payments } = context.var.isolate
  if (payments === undefined) return fail(context, "PAYMENT_UNAVAILABLE")
  const body = await context.req.text()
  const signature = context.req.header("stripe-signature") ?? ""
  const now = new Date()
  const event = read(() => payments.readEvent({ body, signature, now }))
  if (event === null) return fail(context, "INVALID_SIGNATURE")
  const taken = database
    .insert(paymentEvent)
    .values({ id: event.id, type: event.type, receivedAt: now })
    .onConflictDoNothing()
  const effects = event.about === null ? [] : settle({ database, now, ...event.about })
  await database.batch([taken, ...effects])
  return context.json({ received: true })
}

function read(readEvent: () => PaymentEvent | null) {
  try {
    return readEvent()
  } catch (error) {
    log("error", "webhook.unreadable", { reason: reasonOf(error) })
    return null
  }
}
