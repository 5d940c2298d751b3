import type { EngineEvent } from "@pulumi/pulumi/automation/index.js"

import { paint, say } from "../output.ts"
import { isInternal, readUrn } from "./resource-urn.ts"

/** Sign, what happened, and what would happen; without the last one a plan does not mention it. */
const verbs: Record<string, [string, string, string?]> = {
  create: ["+", "created", "create"],
  update: ["~", "updated", "update"],
  delete: ["-", "deleted", "delete"],
  replace: ["±", "replaced", "replace"],
  "create-replacement": ["+", "created as a replacement"],
  "delete-replaced": ["-", "deleted after its replacement"],
  read: ["<", "read"],
  import: ["=", "imported", "import"],
  refresh: ["·", "refreshed"],
}

type Printed = {
  /** The engine only says what it would do. */
  planned: boolean
  /** Diagnostics that a command has printed, in an operation before this one, too. */
  printed?: Set<string> | undefined
}

/** Prints a line for each finished change of a resource, and every diagnostic once. */
export function progressPrinter({
  planned,
  printed = new Set(),
}: Printed): (event: EngineEvent) => void {
  const started = new Map<string, number>()
  return ({ resourcePreEvent, resOutputsEvent, resOpFailedEvent, diagnosticEvent }) => {
    if (planned && resourcePreEvent) printPlanned(resourcePreEvent.metadata)
    if (!planned && resourcePreEvent) started.set(resourcePreEvent.metadata.urn, performance.now())
    if (!planned && resOutputsEvent) printDone(resOutputsEvent.metadata, started)
    if (resOpFailedEvent) {
      say(`  ${paint.red("✗")} ${resourceName(resOpFailedEvent.metadata.urn)} failed`)
    }
    if (!diagnosticEvent || diagnosticEvent.ephemeral) return
    const text = diagnosticText(diagnosticEvent.message)
    // An error of the program arrives twice: from the program and from the engine.
    if (text === "" || printed.has(text) || !isForPeople(diagnosticEvent.severity)) return
    printed.add(text)
    printDiagnostic(diagnosticEvent.severity, text)
  }
}

type Step = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"]

function printPlanned({ op, urn, diffs = [] }: Step): void {
  const [sign, , verb] = verbs[op] ?? []
  if (!sign || !verb || isInternal(urn)) return
  const changed = op !== "create" && diffs.length > 0 ? paint.dim(` ${diffs.join(", ")}`) : ""
  say(`  ${paint.green(sign)} ${resourceName(urn)} ${verb}${changed}`)
}

function printDone({ op, urn }: Step, started: Map<string, number>): void {
  const [sign, verb] = verbs[op] ?? []
  if (!sign || !verb || isInternal(urn) || op === "refresh") return
  const elapsed = performance.now() - (started.get(urn) ?? performance.now())
  say(`  ${paint.green(sign)} ${resourceName(urn)} ${verb} ${paint.dim(seconds(elapsed))}`)
}

/** Removes the engine's colour tags. */
export function diagnosticText(message: string) {
  return message.replaceAll(/<\{%[^%]*%\}>/g, "").trim()
}

/** The engine also sends `debug`, which the type does not list. */
function isForPeople(severity: string) {
  return severity !== "debug"
}

const marks: Record<string, string> = {
  error: paint.red("error:"),
  warning: paint.yellow("warning:"),
}

function printDiagnostic(severity: string, text: string): void {
  say(`  ${marks[severity] ?? " "} ${text.replaceAll("\n", "\n    ")}`)
}

function resourceName(urn: string) {
  const { kind, name } = readUrn(urn)
  return `${kind} ${paint.dim(name)}`
}

export function seconds(milliseconds: number) {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
