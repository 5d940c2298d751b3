import { type Change, factsOf } from "../../environment/effective/changes.ts"
import { databaseJurisdiction, databaseLocation } from "../../environment/effective/fact-keys.ts"
import { defaultLocation } from "../../environment/effective/worker.ts"

/** What a database keeps for good: with another value there would be another, empty one. */
export function keepsNoDatabase({ section, key, before, after }: Change): boolean {
  if (before === undefined || after === undefined) return false
  const named = section === "names" && (key === "account" || key === "database")
  const placed = section === "runtime" && (key === databaseJurisdiction || key === databaseLocation)
  // A hint that is taken out moves nothing.
  return named || (placed && after !== defaultLocation)
}

/** Whether an environment has a database to lose, as far as its effective files say: a draft has none yet. */
export function isKept(before: string | undefined, after: string | undefined): boolean {
  const account = factsOf(before).get("names\naccount") ?? "0"
  return !/^0+$/.test(account) && factsOf(after).get("deletion\ndatabase") === "refused"
}
