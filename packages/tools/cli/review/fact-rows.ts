import type { Change } from "../../environment/effective/changes.ts"
import {
  isHostAlone,
  isOf,
  isSessionCookie,
  sessionReach,
} from "../../environment/effective/fact-keys.ts"
import { project } from "../../environment/project/own-project.ts"

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
