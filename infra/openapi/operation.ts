import type * as z from "zod"

import type { FailureCode } from "../../app/service/platform/http/failure.ts"

export type DeclaredError = { code: string; status: number; message: string }

type Description = {
  summary: string
  /** In Markdown. */
  description?: string
}

/** Describes a path below /api/auth, in addition to its endpoint's declaration. */
export type PathDescription = Description & {
  /** Defaults to the path in camel case. */
  id?: string
  query?: z.ZodObject
  /** Body of a response with status 200. An operation without it redirects. */
  output?: z.ZodType
  /** The effect of a success on cookies, if any. */
  cookie?: string
  /** Errors in addition to those shared by all operations with a body, a session or the method. */
  errors?: (FailureCode | DeclaredError)[]
}

/** An operation below /api/v1 that is not a typed procedure. */
export type UntypedOperation = PathDescription & {
  path: string
  tag: string
  /** Headers of the request. */
  requestHeaders: string[]
  body: z.ZodObject
}

/** Texts of the API description, which the Worker does not need. */
export type Descriptions = {
  /** Typed procedures by name. */
  procedures?: Record<string, Description>
  paths?: Record<string, PathDescription>
  untyped?: UntypedOperation[]
  /**
   * Texts of fields by the end of their place, such as `name`, `answer.name` or `getProfile.answer.name`. The longest
   * match applies. `name|` is the value of a nullable `name`.
   */
  fields?: Record<string, string>
}
