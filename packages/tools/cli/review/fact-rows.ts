import type { Change } from "../../environment/effective/changes.ts"
import { isOf, sessionReach } from "../../environment/effective/fact-keys.ts"

type Row = {
  title: string
  holds: (change: Change) => boolean
  always: boolean
  /** Where a plan shows it: around what it has from the engine, which compared value by value. */
  inPlan: "before" | "from engine" | "after"
}

/** What a reviewer asks about, in this order. */
export const factRows: Row[] = [
  { title: "names", holds: isIn("names"), always: false, inPlan: "before" },
  { title: "hosts", holds: isIn("reach"), always: true, inPlan: "before" },
  { title: "cookies", holds: isAboutCookies, always: true, inPlan: "before" },
  { title: "origins that call", holds: isBrowsers("origin"), always: true, inPlan: "before" },
  { title: "sign-in callbacks", holds: isBrowsers("callback"), always: false, inPlan: "before" },
  {
    title: "tokens for other services",
    holds: isBrowsers("token"),
    always: false,
    inPlan: "before",
  },
  { title: "secrets", holds: isIn("secrets"), always: true, inPlan: "from engine" },
  { title: "bindings", holds: isIn("bindings"), always: true, inPlan: "from engine" },
  { title: "migrations", holds: isIn("migrations"), always: true, inPlan: "from engine" },
  { title: "runtime and release", holds: isIn("runtime"), always: false, inPlan: "after" },
  { title: "deletion", holds: isIn("deletion"), always: false, inPlan: "after" },
  { title: "accepted rules", holds: isIn("accepted"), always: false, inPlan: "after" },
  { title: "others", holds: isIn("others"), always: false, inPlan: "after" },
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
