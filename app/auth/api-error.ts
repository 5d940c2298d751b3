import { APIError } from "better-auth/api"

import { type FailureCode, failures } from "../http/failure.ts"

/** One of the service's own failures, as the authentication library's hooks throw it. */
export function createApiError(code: FailureCode, headers?: HeadersInit) {
  const { status, message } = failures[code]
  return new APIError(status, { code, message }, headers)
}
