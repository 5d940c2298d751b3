import type * as z from "zod"

import type { FailureCode } from "../../app/service/platform/http/failure.ts"

export type DeclaredError = { code: string; status: number; message: string }

type Description = {
  summary: string
  /** In Markdown. */
  description?: string
}

/** A path below /api/auth, beside what its endpoint declares. */
export type PathDescription = Description & {
  /** Defaults to the path in camel case. */
  id?: string
  query?: z.ZodObject
  /** Body of a 200; an operation without it redirects. */
  output?: z.ZodType
  /** How a success changes cookies, if it does. */
  cookie?: string
  /** Errors in addition to those of every operation with a body, a session or the method. */
  errors?: (FailureCode | DeclaredError)[]
}

/** An operation below /api/v1 that is no typed procedure. */
export type UntypedOperation = PathDescription & {
  path: string
  tag: string
  /** Headers of the request. */
  requestHeaders: string[]
  body: z.ZodObject
}

/** Texts of the API, which the Worker does not need. */
export type Descriptions = {
  /** Typed procedures by name. */
  procedures?: Record<string, Description>
  paths?: Record<string, PathDescription>
  untyped?: UntypedOperation[]
  /**
   * Fields by the end of their place, such as `name`, `answer.name` or `getProfile.answer.name`: the longest
   * applies. `name|` is the value of a nullable `name`.
   */
  fields?: Record<string, string>
}
