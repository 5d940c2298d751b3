import { APIError } from "better-auth/api"

type Lengths = { minPasswordLength: number; maxPasswordLength: number }

/** Throws the library's own errors, for endpoints that replace the library's. */
export function checkPasswordLength(lengths: Lengths, password: string) {
  if (password.length < lengths.minPasswordLength) {
    throw badRequest("PASSWORD_TOO_SHORT", "Password too short")
  }
  if (password.length > lengths.maxPasswordLength) {
    throw badRequest("PASSWORD_TOO_LONG", "Password too long")
  }
}

export function badRequest(code: string, message: string) {
  return new APIError("BAD_REQUEST", { code, message })
}
