import type * as z from "zod"

import type { FailureCode } from "../platform/http/failure.ts"

export type DeclaredError = { code: string; status: number; message: string }

/** An operation that is no typed procedure. infra/openapi/ describes it. */
export type Operation = {
  /** Below the prefix of its kind, with the names of its parameters. */
  path: string
  /** Defaults to the path in camel case. */
  id?: string
  /** Default: auth. */
  tag?: string
  summary: string
  description?: string
  query?: z.ZodObject
  /** Headers of the request. */
  requestHeaders?: string[]
  body?: z.ZodType
  /** Body of a 200; an operation without it redirects. */
  output?: z.ZodType
  /** How a success changes cookies, if it does. */
  cookie?: string
  /** Errors in addition to those of every operation with a body, a session or the method. */
  errors?: (FailureCode | DeclaredError)[]
}
