import { APIError } from "better-auth/api"

import { type FailureCode, failures } from "../http/failure.ts"

/** A failure of this service, as the authentication library's hooks must throw it. */
export function createApiError(code: FailureCode, headers?: HeadersInit, data?: object) {
  const { status, message } = failures[code]
  return new APIError(status, { code, message, ...(data && { data }) }, headers)
}
