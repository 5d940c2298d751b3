import { ApiError, UnknownInputError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"

/**
 * Where Cloudflare's parser (github.com/cloudflare/saffron) is narrower than croner: no `@daily`, no
 * `?`, no blanks around, weekdays from 1 (Sunday) to 7.
 * @throws ApiError 10066
 */
export function checkCronGrammar(pattern: string) {
  const fields = pattern.split(/\s+/)
  const weekday = fields[4] ?? ""
  const days = weekday.split(",").flatMap((part) => part.split(/[/#]/)[0]?.match(/\d+/g) ?? [])
  const isValid =
    fields.length === 5 &&
    fields.every((field) => /^[0-9A-Z*,/#-]+$/i.test(field)) &&
    days.every((day) => Number(day) >= 1 && Number(day) <= 7)
  if (!isValid) throw new ApiError(400, code.badCron, `Invalid cron expression: ${pattern}`)
  if (!/L-/i.test(fields[2] ?? "")) return
  const message = `${pattern}: the local Cloudflare runs no days that are counted from the month's end`
  throw new UnknownInputError(400, code.badCron, message)
}
