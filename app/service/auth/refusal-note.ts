import type { AuditAction } from "../admin/audit-entry.table.ts"
import { auditAddress } from "../admin/audit.ts"
import { afterAnswer } from "../database/bounded-database.ts"
import { networkSubject } from "./attempts.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"
import type { Dependencies } from "./dependencies.ts"

type Known = Pick<Dependencies, "attempts" | "database" | "letters">

/** Notes what was refused of an address, after the answer, which takes as long for one that has no account. */
export function noteRefusal(
  { attempts, database, letters }: Known,
  action: AuditAction,
  { headers }: EndpointContext,
  email: string,
) {
  const network = networkSubject(headers)
  const isFew = attempts.isWithin("refusal", network)
  const isOwed = action === "second_factor_locked" ? letters.owed(headers) : undefined
  afterAnswer(async () => {
    const [, entry] = await database.batch([
      attempts.count("refusal", network),
      auditAddress(database, action, email, isFew, isOwed),
    ])
    letters.send(entry)
  })
}
