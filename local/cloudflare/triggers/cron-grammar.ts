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
  if (!/L-/i.test(fields[2] ?? "") || fromEnd(pattern) !== undefined) return
  const message = `${pattern}: the local Cloudflare runs days counted from the month's end only by themselves, as in 0 0 L-3 * *`
  throw new UnknownInputError(400, code.badCron, message)
}

/**
 * croner knows the last day of the month (`L`), and not those that saffron counts from it (`L-3`): the
 * days on which that may be, and on which of them it is.
 */
export function fromEnd(pattern: string) {
  const [minute, hour, day = "", month, weekday] = pattern.split(" ")
  const before = Number(/^L-(\d{1,2})$/i.exec(day)?.[1])
  if (!(before >= 1 && before <= 30) || weekday !== "*") return undefined
  const days = [28, 29, 30, 31].map((last) => last - before).filter((one) => one >= 1)
  return {
    pattern: [minute, hour, days.join(","), month, weekday].join(" "),
    holds: (date: Date) => {
      const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0))
      return date.getUTCDate() === last.getUTCDate() - before
    },
  }
}
