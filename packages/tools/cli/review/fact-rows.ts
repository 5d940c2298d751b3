import { code, markdownTable } from "../../documents/pages.ts"
import {
  type Change,
  describeChanges,
  isHostAlone,
  isOf,
  isSessionCookie,
  sessionReach,
} from "../../environment/effective/facts.ts"
import { project } from "../../environment/project/own-project.ts"
import type { EnvironmentChanges } from "./review.ts"

type Row = {
  title: string
  holds: (change: Change) => boolean
  /** Where a plan shows it: around what it has from the engine, which compared value by value. */
  inPlan: "before" | "from engine" | "after"
}

/** What a reviewer asks about, in this order. */
export const factRows: Row[] = [
  { title: "names", holds: isIn("names"), inPlan: "before" },
  { title: "hosts", holds: isIn("reach"), inPlan: "before" },
  { title: "cookies", holds: isAboutCookies, inPlan: "before" },
  { title: "origins that call", holds: isBrowsers("origin"), inPlan: "before" },
  { title: "sign-in callbacks", holds: isBrowsers("callback"), inPlan: "before" },
  { title: "tokens for other services", holds: isBrowsers("token"), inPlan: "before" },
  { title: "secrets", holds: isIn("secrets"), inPlan: "from engine" },
  { title: "bindings", holds: isIn("bindings"), inPlan: "from engine" },
  { title: "migrations", holds: isIn("migrations"), inPlan: "from engine" },
  { title: "runtime and release", holds: isIn("runtime"), inPlan: "after" },
  { title: "deletion", holds: isIn("deletion"), inPlan: "after" },
  { title: "accepted rules", holds: isIn("accepted"), inPlan: "after" },
  { title: "others", holds: isIn("others"), inPlan: "after" },
]

function isIn(section: string) {
  return (change: Change) => change.section === section
}

function isBrowsers(kind: Parameters<typeof isOf>[0]) {
  return (change: Change) => change.section === "browser" && isOf(kind, change.key)
}

function isAboutCookies(change: Change): boolean {
  return isBrowsers("cookie")(change) || (isIn("browser")(change) && change.key === sessionReach)
}

/** Another session cookie, or the same one of another host alone. */
export function endsSessions({ key, after = "" }: Change): boolean {
  return isSessionCookie(key) || (key === sessionReach && isHostAlone(after))
}

/** What people have made with a binding's text, and lose by another one. */
export function lostBy({ section, key, before }: Change): string | undefined {
  const lasting = section === "bindings" ? project.lasting?.[key] : undefined
  const text = before?.replace("plain_text ", "")
  if (lasting === undefined || text === undefined || text === lasting.nothing) return undefined
  return `${lasting.loses} ${text}`
}

const signUps: Record<string, string> = {
  closed: "nobody can sign up",
  invited: "only invited people can sign up",
}

/** Who gets in, by the binding that decides it: what is true once it has this value, or none. */
const entries: Record<string, (value: string) => string> = {
  SIGN_UP: (value) => signUps[value] ?? "anybody may sign up",
  PASSWORDS: (value) =>
    value === "off" ? "nobody signs in with a password" : "passwords let members in",
  EMAIL_CODE: (value) =>
    value === "on" ? "a code by email lets members in" : "no code by email lets anybody in",
  PASSKEYS: (value) =>
    value === "off" || value === "" ? "no passkey lets anybody in" : "passkeys let members in",
  VERIFY_EMAIL: (value) =>
    value === "true"
      ? "nobody signs in before their address is verified"
      : "anybody may use an address that is not theirs",
  REQUIRE_SECOND_FACTOR: (value) =>
    value === "" ? "no one has to show a second factor" : `${value} must show a second factor`,
  SECOND_FACTOR: (value) =>
    value === "off" ? "no one can turn on a second factor" : "members may turn on a second factor",
  BREACHED_PASSWORDS: (value) =>
    value === "refuse" ? "leaked passwords are refused" : "leaked passwords are accepted",
  TURNSTILE_SITE_KEY: (value) =>
    value === "" ? "robots are not kept from signing up" : "a sign-up has to pass Turnstile",
}

/** The consequence of a change of who gets in; undefined for any other. */
export function entryOf({ section, key, before, after }: Change): string | undefined {
  if (section !== "bindings") return undefined
  const [was, is] = [before, after].map((text = "") => text.replace("plain_text ", ""))
  const entry = entries[key]
  if (entry === undefined || is === undefined || was === is) return undefined
  // Of a first deployment there is nothing to compare.
  return entry(is) === entry(was ?? "") ? undefined : entry(is)
}

/** Characters of a cell's line; what is longer stands whole below the table. */
const longest = 200

/** Environments in which all that changes is the same. */
type Alike = { names: string[]; changes: Change[]; unreadable: boolean }

export function alikeOf(environments: EnvironmentChanges[]): Alike[] {
  const groups = Map.groupBy(environments, ({ changes, unreadable = false }) =>
    JSON.stringify([unreadable, changes.map(wordsOf)]),
  )
  return [...groups.values()].map((group) => ({
    names: group.map(({ name }) => name),
    changes: group[0]?.changes ?? [],
    unreadable: group[0]?.unreadable ?? false,
  }))
}

/** Rows without a change and environments without one are left out, and named. */
export function environmentTable(environments: EnvironmentChanges[]): string {
  const alike = alikeOf(environments)
  const changed = alike.filter(({ changes, unreadable }) => unreadable || changes.length > 0)
  const same = alike.filter((one) => !changed.includes(one)).flatMap(({ names }) => names)
  const nothing = same.length === 0 ? [] : [`Nothing in ${same.join(", ")}.`]
  const rows = factRows
    .filter(({ holds }) => changed.some(({ changes }) => changes.some(holds)))
    .map(({ title, holds }) =>
      [title].concat(changed.map(({ changes }) => cellOf(changes.filter(holds)))),
    )
  const unreadable = changed.some((one) => one.unreadable)
    ? [["", ...changed.map((one) => (one.unreadable ? "cannot be read" : ""))]]
    : []
  const columns = ["", ...changed.map(({ names }) => names.join(", "))]
  const table = changed.length === 0 ? [] : [markdownTable(columns, [...unreadable, ...rows])]
  const whole = changed.filter(({ changes }) =>
    changes.some((change) => wordsOf(change).length > longest),
  )
  const folds = whole.map(({ names, changes }) => fold(names.join(", "), changes))
  return [...table, ...nothing, ...folds].join("\n\n")
}

function cellOf(changes: Change[]): string {
  return changes.map(summaryOf).join("<br>") || "="
}

/** One change with its values, cut where they are long. */
export function summaryOf(change: Change): string {
  const words = wordsOf(change)
  return code(words.length > longest ? `${words.slice(0, longest)}…` : words)
}

function wordsOf({ section, key, before, after }: Change): string {
  if (after === undefined) return `- ${key}`
  // The checksum of a file says nothing to a reader.
  if (section === "migrations") return `${before === undefined ? "+" : "~"} ${key}`
  if (before === undefined) return `+ ${key} ${after}`
  const [from, to] = apart(before, after)
  return `~ ${key} ${from} → ${to}`
}

/** Without the kind of a binding and without what follows a comma, where both have the same. */
function apart(before: string, after: string): [string, string] {
  const [kind = ""] = /^(?:plain_text|ratelimit) /.exec(before) ?? []
  const start = after.startsWith(kind) ? kind.length : 0
  const ends = [...before.slice(start).matchAll(/, /g)].map(({ index }) =>
    before.slice(start + index),
  )
  const end = ends.find((text) => after.slice(start).endsWith(text))?.length ?? 0
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)]
}

function fold(title: string, changes: Change[]): string {
  // Text of the branch must not end the block.
  const text = describeChanges(changes).replaceAll("```", "'''")
  return `<details><summary>${title}</summary>\n\n\`\`\`diff\n${text}\n\`\`\`\n\n</details>`
}
