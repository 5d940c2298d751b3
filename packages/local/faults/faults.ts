import type { EventLog } from "../log/event-log.ts"
import { type Action, type Rule, matchesPattern } from "./rule.ts"
import { seededRandom } from "./seeded-random.ts"

type Surface = Rule["match"]["surface"]

/** A request or query to match with rules. It has only the fields of its surface. */
type Candidate = {
  surface: Surface
  method?: string | undefined
  path?: string | undefined
  host?: string | undefined
  client?: string | undefined
  /** Body or SQL; read only when a rule needs it. */
  text?: () => Promise<string>
  database?: string | undefined
}

/** A fault to inject into one request. */
type Fault = { rule: string; action: Action }

export type Faults = ReturnType<typeof createFaults>

type Entry = { rule: Rule & { name: string }; seen: number; fired: number; random: () => number }

/** Creates the fault rules, which exist only in memory. */
export function createFaults(log: Pick<EventLog, "record">) {
  const waiting: (() => void)[] = []
  let entries: Entry[] = []
  let created = 0

  function toEntry(rule: Rule): Entry {
    created += 1
    const name = rule.name ?? `${rule.match.surface}-${rule.action.type}-${created}`
    return {
      rule: { ...rule, name },
      seen: 0,
      fired: 0,
      random: seededRandom(rule.when.seed ?? 0),
    }
  }

  function change(next: Entry[]) {
    entries = next
    for (const settle of waiting.splice(0)) settle()
  }

  return {
    replace: (rules: Rule[]) => change(rules.map(toEntry)),
    add: (rule: Rule) => change([...entries, toEntry(rule)]),
    /** Removes a rule, or all rules without a name. @returns whether a rule was removed */
    remove(name?: string) {
      const remaining = name === undefined ? [] : entries.filter(({ rule }) => rule.name !== name)
      const removed = remaining.length < entries.length
      change(remaining)
      return removed
    },
    list: () => entries.map(({ rule, seen, fired }) => Object.assign({ ...rule }, { seen, fired })),
    concerns: (surface: Surface) => entries.some(({ rule }) => rule.match.surface === surface),
    /**
     * Finds the fault to inject into a request, and counts it. A rule whose action is not `possible`
     * for the request is neither counted nor used up.
     */
    async find(
      candidate: Candidate,
      possible: (action: Action) => boolean = () => true,
    ): Promise<Fault | undefined> {
      for (const entry of entries) {
        const { rule } = entry
        if (!(await matches(rule, candidate)) || !possible(rule.action)) continue
        entry.seen += 1
        if (!isDue(entry)) continue
        entry.fired += 1
        const { surface, method = "", host = "", path = "", client = "", database } = candidate
        log.record({
          event: "fault",
          rule: rule.name,
          action: rule.action.type,
          surface,
          method,
          host,
          path,
          userAgent: client,
          ...(database !== undefined && { database }),
        })
        return { rule: rule.name, action: rule.action }
      }
      return undefined
    },
    /** Resolves at the next change of the rules. */
    changed: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  }
}

/** Draws one random number per matching request, so that only the seed decides which requests are hit. */
function isDue({ rule: { when }, seen, fired, random }: Entry): boolean {
  const { nth, probability } = when
  if (seen < nth) return false
  const times = when.times ?? (probability === undefined ? 1 : Number.POSITIVE_INFINITY)
  const hit = probability === undefined || random() < probability
  return hit && fired < times
}

async function matches({ match }: Rule, candidate: Candidate): Promise<boolean> {
  const { surface, method, path, host, client, contains, database } = match
  return (
    surface === candidate.surface &&
    (method ?? candidate.method) === candidate.method &&
    (database ?? candidate.database) === candidate.database &&
    matchesPattern(path, candidate.path) &&
    matchesPattern(host, candidate.host?.toLowerCase()) &&
    matchesPattern(client, candidate.client) &&
    (contains === undefined || ((await candidate.text?.()) ?? "").includes(contains))
  )
}
