import { Cron } from "croner"

/**
 * What keeps Cloudflare from reading a cron expression. Its parser (github.com/cloudflare/saffron)
 * is narrower than croner: five fields, no `@daily`, no `?`, weekdays from 1 (Sunday) to 7.
 */
export function cronProblem(pattern: string): string | undefined {
  const fields = pattern.split(/\s+/)
  if (fields.length !== 5) return "must have five fields: minute, hour, day, month, weekday"
  if (!fields.every((field) => /^[0-9A-Z*,/#-]+$/i.test(field))) {
    return "has a character that Cloudflare does not read"
  }
  const days = fields[4]?.split(",").flatMap((part) => part.split(/[/#]/)[0]?.match(/\d+/g) ?? [])
  if (days?.some((day) => Number(day) < 1 || Number(day) > 7)) {
    return "has a weekday that is none of Cloudflare's: 1 (Sunday) to 7"
  }
  try {
    const options = { mode: "5-part", alternativeWeekdays: true, sloppyRanges: true } as const
    const cron = new Cron(pattern, { ...options, paused: true, timezone: "UTC" })
    const next = cron.nextRun()
    cron.stop()
    return next === null ? "names no moment" : undefined
  } catch {
    return "has a value outside its field"
  }
}
