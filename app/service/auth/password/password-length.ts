import { createApiError } from "../api-error.ts"

type Lengths = { minPasswordLength: number; maxPasswordLength: number }

/** Throws the library's own errors. Counts characters, as the API description does, not UTF-16's units. */
export function checkPasswordLength(lengths: Lengths, password: string) {
  const { length } = Array.from(password)
  if (length < lengths.minPasswordLength) throw createApiError("PASSWORD_TOO_SHORT")
  if (length > lengths.maxPasswordLength) throw createApiError("PASSWORD_TOO_LONG")
}
