/** Such as "in 40 seconds" or "in 3 hours": no sooner than it is. */
export function inTime(language: string, seconds: number) {
  const format = new Intl.RelativeTimeFormat(language)
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 2) return format.format(seconds, "second")
  if (minutes < 120) return format.format(minutes, "minute")
  return format.format(Math.ceil(minutes / 60), "hour")
}
