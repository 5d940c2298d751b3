import { and, eq, type SQL, sql } from "drizzle-orm"

import type { Database } from "../../database/database.ts"
import { recoveryCode, secondFactor } from "./factor.table.ts"

/** Condition: the account has a second factor. */
export function hasFactor(userId: string) {
  return sql`exists (select 1 from user where id = ${userId} and second_factor_since is not null)`
}

/** Statements that make the app and the recovery codes of an account worthless. */
export function forgetFactor(database: Database, userId: string | SQL<string>, when: SQL) {
  return {
    factor: database.delete(secondFactor).where(and(eq(secondFactor.userId, userId), when)),
    codes: database.delete(recoveryCode).where(and(eq(recoveryCode.userId, userId), when)),
  }
}
