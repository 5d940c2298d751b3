import { createHash } from "node:crypto"

import { APIError } from "better-auth/api"
import * as z from "zod"

import type { Configuration } from "../platform/configuration/configuration.ts"
import { failures } from "../platform/http/failure.ts"
import { log, reasonOf } from "../platform/http/log.ts"
import { call } from "../platform/http/outbound.ts"

export const passwordLength = { minimum: 8, maximum: 128 }

/** Counts the characters of the NFKC form, which is hashed, instead of UTF-16 units. */
export const NewPassword = z
  .string()
  .normalize("NFKC")
  .check(({ value, issues }) => {
    const { length } = Array.from(value)
    const { minimum, maximum } = passwordLength
    const issue = { origin: "string", inclusive: true, input: value } as const
    if (length < minimum) issues.push({ code: "too_small", minimum, ...issue })
    if (length > maximum) issues.push({ code: "too_big", maximum, ...issue })
  })
  .meta({ minLength: passwordLength.minimum, maxLength: passwordLength.maximum })

/** Throws PASSWORD_BREACHED if one of the fields contains a leaked password. Runs before the account is looked up. */
export async function checkNewPasswords(
  fields: string[],
  body: unknown,
  leaks: NonNullable<Configuration["leaks"]>,
) {
  for (const field of fields) {
    const password: unknown = Object(body)[field]
    if (typeof password !== "string" || !(await isBreached(password, leaks))) continue
    const { status, message } = failures.PASSWORD_BREACHED
    const issues = [{ path: [field], message }]
    throw new APIError(status, { code: "PASSWORD_BREACHED", message, data: { issues } })
  }
}

/** Milliseconds. Short, because a user waits. */
const timeout = 1500

const entry = /^[0-9A-F]{35}:\d+$/

/**
 * Whether a password is in a list of leaked passwords. The service behind `url` gets the first five of the 40 hex
 * digits of its SHA-1, and returns all hashes with that prefix, mixed with unused hashes (count 0) so that the length
 * reveals nothing: https://haveibeenpwned.com/API/v3#PwnedPasswords. If it does not respond in time, the password
 * passes, and this is logged.
 */
async function isBreached(password: string, url: string) {
  const hash = createHash("sha1").update(password.normalize("NFKC")).digest("hex").toUpperCase()
  try {
    const range = await readRange(`${url}/range/${hash.slice(0, 5)}`)
    return range.some((line) => {
      const [suffix, count] = line.split(":")
      return suffix === hash.slice(5) && Number(count) > 0
    })
  } catch (error) {
    log("warn", "breach.unavailable", { reason: reasonOf(error) })
    return false
  }
}

async function readRange(url: string) {
  const headers = { "add-padding": "true", "user-agent": "Accounts" }
  const { status, text } = await call(url, { headers }, timeout)
  const lines = text.split("\n").map((line) => line.trim())
  const isRange = status === 200 && lines.every((line) => line === "" || entry.test(line))
  if (!isRange) throw new Error(`${new URL(url).host} answers ${status} without a list of hashes`)
  return lines
}
