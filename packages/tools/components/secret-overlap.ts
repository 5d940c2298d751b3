import type { Environment } from "../environment/environment.ts"
import { project } from "../project/own-project.ts"

/** A rotation of AUTH_SECRET that is under way, or whose end nobody has written down yet. */
export type Overlap = {
  /** When the new secret begins to sign; the previous one does until then. */
  from: Date
  /** When the last session that the previous one signed has ended. */
  until: Date
}

export function overlapOf({
  authSecretFrom,
}: {
  authSecretFrom?: Environment["authSecretFrom"]
}): Overlap | undefined {
  if (authSecretFrom === undefined) return undefined
  const from = new Date(authSecretFrom)
  return { from, until: new Date(from.getTime() + project.cookies.sessionLifetime * 1000) }
}

/** To the minute, in UTC: `2026-11-30 12:00 UTC`. */
export function describeTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`
}
