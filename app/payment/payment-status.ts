import { sql, type SQL, type SQLWrapper } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"

import { compatibilityResult } from "../compatibility/compatibility-result.table.ts"
import { listedValue } from "../service/platform/rpc/fields.ts"
import { payment, paymentStatuses } from "./payment.table.ts"

/** No column stores the last three, because a version that does not know them would sell a result again. */
export const PaymentStatus = listedValue([...paymentStatuses, "processing", "disputed", "refunded"])

type Columns = Record<
  "refundedAt" | "disputedAt" | "status" | "sessionId" | "checkoutUrl",
  SQLWrapper
>

/** Computes the status. A pending payment with a session but no page is complete and `processing`. */
export function statusOf(of: Columns) {
  return sql<string>`case when ${of.refundedAt} is not null then 'refunded'
    when ${of.disputedAt} is not null then 'disputed'
    when ${of.status} = 'pending' and ${of.sessionId} is not null
      and ${of.checkoutUrl} is null then 'processing'
    else ${of.status} end`
}

const shownPayment = alias(payment, "shown")
const newest = alias(payment, "newest")

/**
 * Status of the payment that unlocked a row of `compatibility_result`, otherwise of its newest payment. Null without a
 * payment.
 */
export const statusOfResult: SQL<string | null> =
  sql`${sql`(select ${statusOf(shownPayment)} from ${payment} as shown
  where ${shownPayment.id} = coalesce(${compatibilityResult.paymentId},
    (select ${newest.id} from ${payment} as newest where ${newest.resultId} = ${compatibilityResult.id}
      order by ${newest}.rowid desc limit 1)))`}`
