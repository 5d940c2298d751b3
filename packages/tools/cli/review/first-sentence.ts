import { counted } from "../../base/counted.ts"
import { code } from "../../documents/markdown-text.ts"
import type { Change } from "../../environment/effective/changes.ts"
import { sessionReach } from "../../environment/effective/fact-keys.ts"
import { alikeOf, summaryOf } from "./environment-table.ts"
import { endsSessions, factRows, lostBy } from "./fact-rows.ts"
import { renderedOtherwise, type Review } from "./review.ts"
import { objectionsTo } from "./verdict.ts"

/** Of each kind, and of all. */
const [mostOfOne, mostOfAll] = [2, 4]

/** What a reviewer has to know before anything else: whether it may be merged, and what is another then. */
export function firstSentence(review: Review): string {
  const objections = objectionsTo(review)
  const verdict = objections.length === 0 ? "" : `**Not as it is:** ${some(objections, 1)}. `
  const changes = [...changesOf(review)]
  const isKnown = review.environments.every(({ unreadable = false }) => !unreadable)
  const where = isKnown ? "any environment" : "an environment that can be read"
  const none = `nothing in ${where}, of the API or of the database`
  const what = changes.length === 0 ? [none] : [some(changes, mostOfAll, "; ")]
  return `${verdict}**Changes** ${[...what, ...codeOf(review)].join("; ")}.`
}

function changesOf(review: Review): string[] {
  const { migrations, api, routes, packages, bundle } = review
  const rendered = renderedOtherwise(review).map(({ name, changes }) => {
    return { name: `${name} as the branch renders it`, changes }
  })
  const environments = [...review.environments, ...rendered]
  const given = (title: string, items: string[]) =>
    items.length === 0 ? [] : [`${title}: ${some(items, mostOfOne)}`]
  const alike = alikeOf(environments.filter(({ changes }) => changes.length > 0))
  const ending = environments.filter(
    ({ changes }) => changes.some(endsSessions) && changes.some((one) => one.before !== undefined),
  )
  return [
    ...ending.map(({ name }) => `${name}: signs everybody out`),
    ...environments.flatMap(({ name, changes }) =>
      changes.flatMap((change) => {
        const lost = lostBy(change)
        return lost === undefined ? [] : [`${name}: ${lost}`]
      }),
    ),
    ...migrations.flatMap(({ name, declared }) => given(code(name), declared.map(code))),
    ...given(
      "callers lose",
      api.map(({ operation, loses }) => code(`${operation} ${loses}`)),
    ),
    ...alike.flatMap(({ names, changes }) => given(names.join(", "), telling(changes))),
    ...given(
      "routes",
      factsOf(routes).map(({ route, fact, before, after }) => {
        return `${code(route)} ${fact} ${code(before ?? "none")} → ${code(after ?? "none")}`
      }),
    ),
    ...given(
      "new routes",
      routes.filter(({ kind }) => kind === "new").map(({ route }) => code(route)),
    ),
    ...given(
      "migrations",
      migrations
        .filter(({ declared }) => declared.length === 0)
        .map(({ name, kind }) => `${code(name)} (${kind})`),
    ),
    ...given("packages", packages.changed.map(code)),
    ...(bundle.before === bundle.after ? [] : [`bundle: ${bundle.before} → ${bundle.after} KiB`]),
  ]
}

/** What callers meet before what the service does inside. */
const mostTelling = ["who", "plan", "limits", "origin"]

function factsOf(routes: Review["routes"]) {
  const rank = ({ fact }: { fact: string }) =>
    (mostTelling.indexOf(fact) + mostTelling.length + 1) % (mostTelling.length + 1)
  return routes
    .filter(({ kind }) => kind === "changed")
    .flatMap(({ route, facts }) => facts.map((one) => ({ route, ...one })))
    .toSorted((one, other) => rank(one) - rank(other))
}

/** What says most first: one of each row. Migrations are told by their own words. */
function telling(changes: Change[]): string[] {
  const ordered = changes.toSorted((one, two) => +isReach(two) - +isReach(one))
  const rows = factRows
    .filter(({ title }) => title !== "migrations")
    .map(({ title, holds }) =>
      ordered.filter(holds).map((change) => `${title} ${summaryOf(change)}`),
    )
  return [...rows.flatMap((row) => row.slice(0, 1)), ...rows.flatMap((row) => row.slice(1))]
}

function isReach({ key }: Change): boolean {
  return key === sessionReach
}

/** Whose effect nothing above can say. */
function codeOf({ code: files }: Review): string[] {
  const groups = Object.entries(Object.groupBy(files, ({ part }) => part))
  const parts = groups.filter(([part]) => part !== "is installed")
  return parts.map(([part, { length }]) => {
    return `code that ${part} (${counted(length, "file")})`
  })
}

function some(items: string[], most: number, separator = ", "): string {
  const more = items.length - most
  const shown = items.slice(0, most).join(separator)
  return more > 0 ? `${shown}${separator}and ${more} more` : shown
}
