import { createRandom, waitOf } from "./random.ts"

/** All in milliseconds, of one round trip where it is one. What Cloudflare does not publish is assumed. */
export const assumptions = {
  /** Between a caller's data centre and a copy of the database in the same region. */
  toReplica: 5,
  /** Between a Worker beside the database and the database. */
  beside: 1,
  /** Each round trip takes its distance and up to this share more, and one in `slowOneIn` twice that. */
  jitter: 0.2,
  slowOneIn: 50,
  /** SQLite's work for a batch that only reads, and for one that writes and is stored in several places. */
  reads: 1,
  writes: 5,
  /** Mean time until a copy has a change, beyond the time it takes to get there. */
  lag: 100,
  /** Mean time between two requests of a member. */
  pause: 3000,
  /** How often other members, and the service itself, change the database. */
  otherChanges: 2000,
} as const

export const places = ["near the caller", "smart", "near the caller, replicated"] as const
export type Place = (typeof places)[number]

/** Round trips to the database of a request, each of which reads or writes. */
export type Request = {
  name: string
  trips: ("read" | "write")[]
  /** Whether a copy may answer it. */
  near?: true
}

type Options = { requests: Request[]; distance: number; place: Place; visits: number; seed: number }

/**
 * Plays members who send the requests one after another, with pauses, and returns how long each waited
 * for the database: a list of milliseconds for each name.
 */
export function simulate({ requests, distance, place, visits, seed }: Options) {
  const random = createRandom(seed)
  const waits = new Map(requests.map(({ name }) => [name, [] as number[]]))
  const tripOver = (length: number) => {
    const slow = random() < 1 / assumptions.slowOneIn ? 2 : 1
    return length * (1 + random() * assumptions.jitter * slow) * slow
  }
  const workOf = (kind: "read" | "write") => tripOver(assumptions[`${kind}s`])
  const toPrimary = place === "smart" ? assumptions.beside : distance

  for (let visit = 0; visit < visits; visit += 1) {
    let now = 0
    /** When what the member has seen last is at the copy. */
    let reached = 0
    for (const { name, trips, near } of requests) {
      now += waitOf(random, assumptions.pause)
      // The caller's own data centre passes the request on to where the Worker runs.
      let waited = place === "smart" ? tripOver(distance) : 0
      for (const kind of trips) {
        const asksCopy = place === "near the caller, replicated" && near === true
        const behind = asksCopy && now + waited < reached
        if (asksCopy) waited += tripOver(assumptions.toReplica)
        // A copy that lacks what the member has seen passes the query on.
        if (!asksCopy || behind) waited += tripOver(toPrimary)
        waited += workOf(kind)
        if (asksCopy && !behind) continue
        // Whatever the primary answers bears the bookmark of the latest change, anybody's.
        const age = kind === "write" ? 0 : waitOf(random, assumptions.otherChanges)
        const arrival = now + waited - age + distance / 2 + waitOf(random, assumptions.lag)
        reached = Math.max(reached, arrival)
      }
      waits.get(name)?.push(waited)
      now += waited
    }
  }
  return waits
}
