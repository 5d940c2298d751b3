import type { Context, MiddlewareHandler } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import * as z from "zod"

import { describeIssues } from "../daemon/daemon.ts"
import { rejectionOf } from "../daemon/listen.ts"
import { bearerToken, equalSecrets } from "../daemon/state-folder.ts"

export class ApiError extends Error {
  override name = "ApiError"
  readonly status: ContentfulStatusCode
  readonly code: number

  constructor(
    status: ContentfulStatusCode,
    errorCode: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = status
    this.code = errorCode
  }
}

/** Thrown for a body or query with keys that this control plane does not implement. */
export class UnknownInputError extends ApiError {
  override name = "UnknownInputError"
}

export function success(result: unknown, extra: Record<string, unknown> = {}) {
  return { success: true, errors: [], messages: [], result, ...extra }
}

/** The envelope of routes without a `result`. */
export const done = { success: true, errors: [], messages: [] }

export function failure(error: ApiError) {
  return {
    success: false,
    errors: [{ code: error.code, message: error.message }],
    messages: [],
    result: null,
  }
}

/**
 * @throws ApiError 400 with every invalid field; UnknownInputError if it has unknown keys
 */
export function parse<T extends z.ZodType>(
  schema: T,
  value: unknown,
  errorCode: number = code.badMetadata,
): z.infer<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const unknownKeys = parsed.error.issues.some((issue) => issue.code === "unrecognized_keys")
  const ErrorClass = unknownKeys ? UnknownInputError : ApiError
  throw new ErrorClass(400, errorCode, describeIssues(parsed.error))
}

export async function body<T extends z.ZodType>(c: Context, schema: T): Promise<z.infer<T>> {
  return parse(schema, parseJson(await c.req.text()), inputCode(c.req.path))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(400, code.badJson, "Malformed JSON in request body")
  }
}

export function query<T extends z.ZodType>(c: Context, schema: T): z.infer<T> {
  return parse(schema, c.req.query(), inputCode(c.req.path))
}

/** Returns the error code for invalid input, which differs between products. */
function inputCode(path: string): number {
  if (path.includes("/d1/database")) return code.badQuery
  if (path.includes("/dns_records")) return code.invalidDnsRecord
  return /\/workers\/workers(?:\/[^/]+)?$/.test(path) ? code.startup : code.badMetadata
}

/** Rejects query parameters. */
export const noQuery: MiddlewareHandler = async (c, next) => {
  query(c, z.strictObject({}))
  await next()
}

/** The paging parameters of every list. Both must work, because SDKs request pages until one is empty. */
export const paging = {
  page: z.coerce.number().int().min(1).default(1),
  per_page: z.coerce.number().int().min(1).max(1000).default(100),
}

/** The paging parameters of the newer Workers API, with shorter pages as in the OpenAPI document. */
export const shortPaging = {
  page: paging.page,
  per_page: z.coerce.number().int().min(1).max(100).default(10),
}

type Page = { page: number; per_page: number }

/** Returns one page of a list. Set `totalPages` only for lists whose `total_pages` Cloudflare documents. */
export function pageOf(items: unknown[], page: Page, { totalPages = false } = {}) {
  const { result, result_info } = paginate(items, page)
  const total_pages = Math.ceil(items.length / page.per_page)
  return success(result, { result_info: { ...result_info, ...(totalPages && { total_pages }) } })
}

export function paginate<T>(items: T[], { page, per_page }: Page) {
  const result = items.slice((page - 1) * per_page, page * per_page)
  const result_info = {
    page,
    per_page,
    count: result.length,
    total_count: items.length,
  }
  return { result, result_info }
}

/** Cloudflare's error codes; `contract/testing/error-source.ts` has the source of each. */
export const code = {
  tooManyRequests: 971,
  invalidDnsRecord: 1004,
  badHeaders: 6003,
  badJson: 6007,
  noRoute: 7000,
  badRequest: 7001,
  noObject: 7003,
  badQuery: 7400,
  noDatabase: 7404,
  sql: 7500,
  databaseExists: 7502,
  missingToken: 9106,
  wrongToken: 9109,
  authentication: 10_000,
  badMetadata: 10_001,
  noWorker: 10_007,
  noZoneRoute: 10_009,
  unknown: 10_013,
  badName: 10_016,
  routeExists: 10_020,
  startup: 10_021,
  badRoute: 10_022,
  tooLarge: 10_027,
  workerExists: 10_040,
  badInherit: 10_057,
  badCron: 10_066,
  manyCrons: 10_072,
  noHandlers: 10_068,
  badPercentages: 10_149,
  noBoundDatabase: 10_181,
  noTailWorker: 10_203,
  secretChanged: 10_220,
  noVersions: 10_222,
  noDeployment: 10_336,
  noDnsRecord: 81_044,
  addressDnsRecord: 81_053,
  sameDnsRecord: 81_058,
  workersDnsRecord: 81_062,
  longTag: 100_102,
  manyTags: 100_103,
  noDomain: 100_114,
  hostnameTaken: 100_116,
  existingDnsRecord: 100_117,
  longName: 100_132,
  badTag: 100_134,
  noVersion: 100_146,
  badSamplingRate: 100_308,
  longPreviewName: 100_315,
  noProcessorLimit: 100_328,
  noTracePropagation: 100_342,
} as const

/**
 * Rejects browsers before reading the token: a foreign Host means DNS rebinding, and any Origin means a web page. The
 * API serves no pages.
 */
export const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const { host, origin } = c.req.header()
  const originRejection = origin === undefined ? undefined : "Requests from web pages are rejected"
  const reason = rejectionOf({ host }) ?? originRejection
  if (reason !== undefined) throw new ApiError(403, code.badHeaders, reason)
  await next()
}

/** Requires the state directory's token. */
export function requireToken(token: string): MiddlewareHandler {
  return async (c, next) => {
    checkToken(c.req.header("authorization"), token)
    await next()
  }
}

function checkToken(authorization: string | undefined, token: string) {
  if (authorization === undefined) {
    throw new ApiError(
      400,
      code.missingToken,
      "Missing X-Auth-Key, X-Auth-Email or Authorization headers",
    )
  }
  const bearer = bearerToken(authorization)
  if (bearer === undefined) {
    throw new ApiError(400, code.badHeaders, "Invalid request headers")
  }
  if (!equalSecrets(bearer, token)) {
    throw new ApiError(403, code.wrongToken, "Invalid access token")
  }
}
