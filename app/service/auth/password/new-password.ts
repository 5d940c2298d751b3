import { APIError } from "better-auth/api"

import type { Configuration } from "../../configuration/configuration.ts"
import { failures } from "../../http/failure.ts"
import { newPasswordsOf } from "../bodies.ts"
import { isBreached } from "./breached-password.ts"

type Given = { path: string; body?: unknown }

/**
 * Throws for a password that somebody chooses and that is known from a leak, wherever a path takes one.
 * Whoever the request is about has not been looked up yet.
 */
export async function checkNewPasswords({ path, body }: Given, { leaks }: Configuration) {
  if (leaks === undefined) return
  for (const field of newPasswordsOf(path)) {
    const password: unknown = Object(body)[field]
    if (typeof password !== "string" || !(await isBreached(password, leaks))) continue
    const { status, message } = failures.PASSWORD_BREACHED
    const issues = [{ path: [field], message }]
    throw new APIError(status, { code: "PASSWORD_BREACHED", message, data: { issues } })
  }
}
