import { createColors } from "picocolors"

import {
  type Change,
  isHostAlone,
  isOf,
  isSessionCookie,
  sessionReach,
} from "../../environment/effective/facts.ts"
import { project } from "../../environment/project/own-project.ts"
import { printable, type paint as Paint } from "../output.ts"
import type { EnvironmentChanges } from "./review.ts"

/** A line of a plan or review: the sign of the change, its subject and its values. */
export type Line = {
  sign: "+" | "-" | "~" | "!"
  text: string
  /** The previous value and the new one; either may be missing. */
  before?: string | undefined
  after?: string | undefined
}

export type Section = { title: string; lines: Line[] }

/** Sections in the order in which a reviewer reads them. */
const rows: [title: string, holds: (change: Change) => boolean][] = [
  ["names", isIn("names")],
  ["hosts", isIn("reach")],
  ["cookies", isAboutCookies],
  ["origins that call", isBrowsers("origin")],
  ["sign-in callbacks", isBrowsers("callback")],
  ["tokens for other services", isBrowsers("token")],
  ["secrets", isIn("secrets")],
  ["bindings", isIn("bindings")],
  ["migrations", isIn("migrations")],
  ["runtime and release", isIn("runtime")],
  ["deletion", isIn("deletion")],
  ["accepted rules", isIn("accepted")],
  ["others", isIn("others")],
]

/** Returns a section for each title, even if it has no lines. */
export function factSections(changes: Change[]): Section[] {
  return rows.map(([title, holds]) => ({ title, lines: changes.filter(holds).map(changeLine) }))
}

function isIn(section: string) {
  return (change: Change) => change.section === section
}

function isBrowsers(kind: Parameters<typeof isOf>[0]) {
  return (change: Change) => change.section === "browser" && isOf(kind, change.key)
}

function isAboutCookies(change: Change): boolean {
  return isBrowsers("cookie")(change) || (isIn("browser")(change) && change.key === sessionReach)
}

export function changeLine({ section, key, ...values }: Change): Line {
  const [before, after] = [plainValue(values.before), plainValue(values.after)]
  const sign = after === undefined ? "-" : before === undefined ? "+" : "~"
  // A file's checksum does not help a reader.
  if (section === "migrations") return { sign, text: key }
  // Each environment has its own namespace, which does not change.
  const [namespace] = /, namespace \d+$/.exec(before ?? "") ?? []
  if (!namespace || !after?.endsWith(namespace)) return { sign, text: key, before, after }
  const without = (text: string | undefined) => text?.slice(0, -namespace.length)
  return { sign, text: key, before: without(before), after: without(after) }
}

/** Removes the kind of a binding, which reviewers need not read. */
function plainValue(text: string | undefined): string | undefined {
  return text?.replace(/^(?:plain_text|ratelimit) /, "")
}

type PendingFile = { name: string; kind: string; objections: string[]; declared?: string[] }

/** Lists migrations with their declared losses and the reasons of a refusal. */
export function migrationLines(migrations: PendingFile[]): Line[] {
  return migrations.flatMap(({ name, kind, objections, declared = [] }): Line[] => [
    { sign: kind === "expand" ? "+" : "!", text: `${name}  ${kind}` },
    ...declared.map((declaration): Line => ({ sign: "!", text: `declared: ${declaration}` })),
    ...objections.map((objection): Line => ({ sign: "!", text: `refused: ${objection}` })),
  ])
}

/** Effects of changes on members, the largest first: ended sessions, lost data, access. */
export function consequencesOf(changes: Change[]): string[] {
  // A first deployment has no previous values.
  const ends = changes.some(endsSessions) && changes.some(({ before }) => before !== undefined)
  return [
    ...(ends ? ["signs every member out: the session cookie becomes another one"] : []),
    ...changes
      .filter(isIn("bindings"))
      .flatMap((change) => [lossesBy(change), entriesBy(change)].flat()),
  ]
}

/** Whether the session cookie gets another name, or becomes host-only. */
function endsSessions({ key, after = "" }: Change): boolean {
  return isSessionCookie(key) || (key === sessionReach && isHostAlone(after))
}

/** Returns the data that members created under a binding's value and lose when it changes. */
function lossesBy({ key, before }: Change): string[] {
  const lasting = project.lasting?.[key]
  const text = plainValue(before)
  if (lasting === undefined || text === undefined || text === lasting.nothing) return []
  return [`${lasting.loses} ${text}`]
}

const signUps: Record<string, string> = {
  closed: "no visitor can sign up",
  invited: "only invited people can sign up",
}

/** Access rules by binding: the sentence that is true with a value; "" means no value. */
const entries: Record<string, (value: string) => string> = {
  SIGN_UP: (value) => signUps[value] ?? "anyone may sign up",
  PASSWORDS: (value) =>
    value === "off" ? "no member signs in with a password" : "passwords let members in",
  EMAIL_CODE: (value) =>
    value === "on" ? "a code by email lets members in" : "no code by email lets members in",
  PASSKEYS: (value) =>
    value === "off" || value === "" ? "no passkey lets members in" : "passkeys let members in",
  VERIFY_EMAIL: (value) =>
    value === "true"
      ? "no member signs in before their address is verified"
      : "anyone may use an address that is not theirs",
  REQUIRE_SECOND_FACTOR: (value) =>
    value === "" ? "no one has to show a second factor" : `${value} must show a second factor`,
  SECOND_FACTOR: (value) =>
    value === "off" ? "no one can turn on a second factor" : "members may turn on a second factor",
  BREACHED_PASSWORDS: (value) =>
    value === "refuse" ? "leaked passwords are refused" : "leaked passwords are accepted",
  TURNSTILE_SITE_KEY: (value) =>
    value === "" ? "robots are not kept from signing up" : "a sign-up has to pass Turnstile",
}

/** Returns the sentence of a changed access rule; empty for other bindings. */
function entriesBy({ key, before, after }: Change): string[] {
  const consequence = entries[key]
  if (consequence === undefined) return []
  const [old, now] = [before, after].map((value) => consequence(plainValue(value) ?? ""))
  return now === undefined || old === now ? [] : [now]
}

/** Groups environments that have the same changes. */
export function groupEqual(environments: EnvironmentChanges[]) {
  const groups = Map.groupBy(environments, ({ changes, unreadable = false }) =>
    JSON.stringify([unreadable, changes.map(changeLine)]),
  )
  return [...groups.values()].map((group) => ({
    names: group.map(({ name }) => name),
    changes: group[0]?.changes ?? [],
    unreadable: group[0]?.unreadable ?? false,
  }))
}

/** The column in which lines begin. */
export const margin = 20
/** Characters of a line; longer lines are broken before each value. */
const longest = 100
/** Characters of a value: a longer value would hide the lines after it. */
const mostOfValue = 2000

export function sectionText({ title, lines }: Section, paint: typeof Paint): string {
  const loud = title === "danger"
  const width = title === "" ? 0 : margin
  const colours = { "+": paint.green, "-": paint.red, "~": paint.yellow, "!": paint.red }
  return lines
    .map((line, index) => {
      const label = (index === 0 ? title : "").padEnd(width)
      return `${loud ? paint.red(label) : label}${colours[line.sign](lineText(line, width))}`
    })
    .join("\n")
}

/** Returns a fenced block of Markdown. Foreign text is indented too far to end the block. */
export function sectionsBlock(sections: Section[]): string {
  const present = sections.filter(({ lines }) => lines.length > 0)
  return textBlock(present.map((section) => sectionText(section, createColors(false))).join("\n"))
}

export function textBlock(text: string): string {
  return ["```text", text, "```"].join("\n")
}

function lineText(line: Line, width: number): string {
  const [head, ...values] = partsOf(line)
  const short = `${head}  ${values.join(" → ")}`.trimEnd()
  if (short.length <= longest || values.length === 0) return short
  const indent = " ".repeat(width + 4)
  return `${head}\n${indent}${values.join(`\n${" ".repeat(width + 2)}→ `)}`
}

/** Formats a line with its values, without line breaks. */
export function lineSummary(line: Line): string {
  const [head, ...values] = partsOf(line)
  return `${head} ${values.join(" → ")}`.trimEnd()
}

function partsOf({ sign, text, before, after }: Line): string[] {
  const values = [before, after].filter((value) => value !== undefined)
  return [`${sign} ${text}`, ...values].map((part) => {
    const { length } = part
    return printable(length > mostOfValue ? `${part.slice(0, mostOfValue)}…, ${length} long` : part)
  })
}
