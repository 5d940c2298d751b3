import { and, eq, getTableColumns, sql } from "drizzle-orm"
import * as z from "zod"

import { PaymentStatus, statusOfResult } from "../payment/payment-status.ts"
import { unlock } from "../payment/settlement.ts"
import { insertWithinPlan, planLimitReached } from "../plan/allowance.ts"
import { shownColumns } from "../service/platform/database/columns.ts"
import { createId } from "../service/platform/database/database.ts"
import type { Collections } from "../service/platform/database/records.ts"
import { Visible, WellFormed } from "../service/platform/rpc/fields.ts"
import { pageOf, pageOfRows, Paging, valuesOf } from "../service/platform/rpc/pagination.ts"
import { ownRows } from "../service/session/own-rows.ts"
import { member, nearReader } from "../service/session/procedures.ts"
import { compatibilityResult } from "./compatibility-result.table.ts"

/** Increment when the shape of the stored JSON changes. */
const schemaVersion = 1

function liteOf(text: z.ZodString) {
  return z.strictObject({
    score: z.int().min(0).max(100),
    summary: text.min(1).max(2000),
    traits: z
      .array(z.strictObject({ name: text.min(1).max(80), score: z.int().min(0).max(100) }))
      .max(20),
  })
}

function deepOf(text: z.ZodString) {
  return z.strictObject({
    sections: z
      .array(z.strictObject({ title: text.min(1).max(120), body: text.min(1).max(4000) }))
      .min(1)
      .max(12),
  })
}

/** The free part of a result, computed by the client. */
const LiteResult = liteOf(z.string())
const NewLiteResult = liteOf(WellFormed)

/** The paid part, which is computed and stored together with the free one. */
const DeepInsights = deepOf(z.string())
const NewDeepInsights = deepOf(WellFormed)

const Summary = z.object({
  id: z.string(),
  partnerName: z.string(),
  schemaVersion: z.int(),
  unlocked: z.boolean(),
  paymentId: z.string().nullable(),
  paymentStatus: PaymentStatus.nullable(),
  createdAt: z.date(),
})

const Result = Summary.extend({
  lite: LiteResult,
  deepInsights: DeepInsights.nullable(),
})

const summaryColumns = {
  ...shownColumns(compatibilityResult, Summary),
  unlocked: sql`${compatibilityResult.unlockedAt} is not null`.mapWith(Boolean),
  paymentStatus: statusOfResult,
}

const columns = { ...getTableColumns(compatibilityResult), paymentStatus: statusOfResult }

type Row = typeof compatibilityResult.$inferSelect

/** Returns a stored result, without the deep insights until they are unlocked. */
function resultOf(row: Row & { paymentStatus: string | null }) {
  return {
    ...row,
    unlocked: row.unlockedAt !== null,
    lite: LiteResult.parse(JSON.parse(row.lite)),
    deepInsights: row.unlockedAt === null ? null : DeepInsights.parse(JSON.parse(row.deepInsights)),
  }
}

const notFound = {
  NOT_FOUND: { status: 404, message: "Compatibility result not found" },
} as const

const createResult = member
  .errors(planLimitReached)
  .input(
    z.strictObject({
      partnerName: Visible.max(100),
      schemaVersion: z.literal(schemaVersion),
      lite: NewLiteResult,
      deepInsights: NewDeepInsights,
    }),
  )
  .output(Result)
  .handler(async ({ context, input, errors }) => {
    const row: Row = {
      id: createId("compatibility_result"),
      userId: context.member.id,
      partnerName: input.partnerName,
      schemaVersion: input.schemaVersion,
      lite: JSON.stringify(input.lite),
      deepInsights: JSON.stringify(input.deepInsights),
      paymentId: null,
      unlockedAt: null,
      createdAt: new Date(),
    }
    const isStored = await insertWithinPlan({
      database: context.services.database,
      member: context.member,
      isSignedIn: context.isSignedIn,
      metric: "compatibility_results",
      table: compatibilityResult,
      row,
    })
    if (!isStored) throw errors.PLAN_LIMIT_REACHED()
    return resultOf({ ...row, paymentStatus: null })
  })

const ownedTable = { table: compatibilityResult, owner: compatibilityResult.userId }

const resultById = ownRows({
  ...ownedTable,
  columns,
  where: eq(compatibilityResult.id, sql.placeholder("id")),
})

const getResult = nearReader
  .route({ method: "GET" })
  .errors(notFound)
  .input(z.strictObject({ id: z.string().max(64) }))
  .output(Result)
  .handler(async ({ context, input, errors }) => {
    const [answer] = await context.askOnce(resultById, { id: input.id })
    if (!answer?.row) throw errors.NOT_FOUND()
    return resultOf(answer.row)
  })

const newestResults = ownRows({
  ...ownedTable,
  columns: summaryColumns,
  newest: compatibilityResult,
})

const listResults = nearReader
  .route({ method: "GET" })
  .input(Paging)
  .output(pageOf(Summary))
  .handler(async ({ context, input }) =>
    pageOfRows(await context.askOnce(newestResults, valuesOf(input)), input.limit),
  )

const unlockDeepInsights = member
  .errors({
    ...notFound,
    PAYMENT_REQUIRED: { status: 402, message: "This payment does not cover this result" },
  })
  .input(z.strictObject({ resultId: z.string().max(64), paymentId: z.string().max(64) }))
  .output(Result)
  .handler(async ({ context, input, errors }) => {
    const { database } = context.services
    const [, [row]] = await database.batch([
      unlock(database, input.paymentId, new Date(), context.isSignedIn),
      database
        .select(columns)
        .from(compatibilityResult)
        .where(and(owned(input.resultId, context.member.id), context.isSignedIn)),
    ])
    if (row === undefined) throw errors.NOT_FOUND()
    if (row.unlockedAt === null || row.paymentId !== input.paymentId) {
      throw errors.PAYMENT_REQUIRED()
    }
    return resultOf(row)
  })

function owned(id: string, userId: string) {
  return and(eq(compatibilityResult.id, id), eq(compatibilityResult.userId, userId))
}

const { unlockedAt, deepInsights, lite } = compatibilityResult

export const compatibilityExport: Collections = {
  compatibilityResults: {
    table: compatibilityResult,
    owner: compatibilityResult.userId,
    item: Result,
    order: [compatibilityResult.createdAt, compatibilityResult.id],
    // A result has up to 50,000 characters, so the memory of an isolate could not hold 200 of them.
    rows: 20,
    computed: {
      lite: sql`${lite}`.mapWith(JSON.parse),
      unlocked: sql`${unlockedAt} is not null`.mapWith(Boolean),
      paymentStatus: statusOfResult,
      // Only a member who has paid may read the paid part.
      deepInsights: sql`case when ${unlockedAt} is null then null else ${deepInsights} end`.mapWith(
        JSON.parse,
      ),
    },
  },
}

export const compatibility = { createResult, getResult, listResults, unlockDeepInsights }
