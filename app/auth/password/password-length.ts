import { APIError } from "better-auth/api"

type Lengths = { minPasswordLength: number; maxPasswordLength: number }

/** Throws the library's own errors. Counts characters, as the API description does, not UTF-16's units. */
export function checkPasswordLength(lengths: Lengths, password: string) {
  const { length } = Array.from(password)
  if (length < lengths.minPasswordLength) {
    throw badRequest("PASSWORD_TOO_SHORT", "Password too short")
  }
  if (length > lengths.maxPasswordLength) {
    throw badRequest("PASSWORD_TOO_LONG", "Password too long")
  }
}

export function badRequest(code: string, message: string) {
  return new APIError("BAD_REQUEST", { code, message })
}
