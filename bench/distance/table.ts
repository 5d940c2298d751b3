import { percentile } from "../app/table.ts"
import { assumptions, places, simulate, type Request } from "./simulation.ts"

const distances = [5, 30, 100]
const visits = 4000

/** The round trips are those that app/statements.workers.test.ts counts. */
export const requests: Request[] = [
  { name: "sign-in", trips: ["write", "write"] },
  { name: "getProfile", trips: ["read"] },
  { name: "listEntries, the first", trips: ["read"], near: true },
  { name: "createEntry", trips: ["read", "write"] },
  { name: "listEntries, after it", trips: ["read"], near: true },
  { name: "createCheckout", trips: ["read", "read", "write"] },
]

/** Median and 95th percentile by request, distance and place. */
export function distanceTable() {
  const columns = distances.flatMap((distance) =>
    places.map((place) => {
      const waits = simulate({ requests, distance, place, visits, seed: distance })
      return { title: `${distance} ms, ${place}`, waits }
    }),
  )
  const rows = requests.map(({ name, trips }) => {
    const cells = columns.map(({ waits }) => {
      const sorted = (waits.get(name) ?? []).toSorted((one, other) => one - other)
      return [0.5, 0.95].map((share) => percentile(sorted, share).toFixed(0)).join(" / ")
    })
    return `| ${[name, trips.length, ...cells].join(" | ")} |`
  })
  return [
    `| request | round trips | ${columns.map(({ title }) => title).join(" | ")} |`,
    `| --- | ---: | ${columns.map(() => "---:").join(" | ")} |`,
    ...rows,
    "",
    `Assumed, in milliseconds: ${Object.entries(assumptions)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}; ${visits} visits for each column.`,
  ].join("\n")
}
