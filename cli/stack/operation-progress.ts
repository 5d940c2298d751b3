import type { EngineEvent } from "@pulumi/pulumi/automation/index.js"

import { paint, say } from "../output.ts"

const verbs: Record<string, [string, string]> = {
  create: ["+", "created"],
  update: ["~", "updated"],
  delete: ["-", "deleted"],
  replace: ["±", "replaced"],
  "create-replacement": ["+", "created, in place of another"],
  "delete-replaced": ["-", "deleted, replaced"],
  read: ["<", "read"],
  import: ["=", "imported"],
  refresh: ["·", "refreshed"],
}

/** Prints one line as each resource is done, and every diagnostic; steps without a change stay silent. */
export function progressPrinter(): (event: EngineEvent) => void {
  const started = new Map<string, number>()
  const said = new Set<string>()
  return ({ resourcePreEvent, resOutputsEvent, resOpFailedEvent, diagnosticEvent }) => {
    if (resourcePreEvent) started.set(resourcePreEvent.metadata.urn, performance.now())
    if (resOutputsEvent) {
      const { op, urn } = resOutputsEvent.metadata
      const [sign, verb] = verbs[op] ?? []
      if (!sign || !verb || isInternal(urn) || op === "refresh") return
      const elapsed = performance.now() - (started.get(urn) ?? performance.now())
      say(`  ${paint.green(sign)} ${resourceName(urn)} ${verb} ${paint.dim(seconds(elapsed))}`)
    }
    if (resOpFailedEvent) {
      say(`  ${paint.red("✗")} ${resourceName(resOpFailedEvent.metadata.urn)} failed`)
    }
    if (!diagnosticEvent || diagnosticEvent.ephemeral) return
    const text = diagnosticText(diagnosticEvent.message)
    // A program's error arrives twice: from the program, and from the engine that ran it.
    if (text === "" || said.has(text) || !isForPeople(diagnosticEvent.severity)) return
    said.add(text)
    printDiagnostic(diagnosticEvent.severity, text)
  }
}

/** Text of an engine's diagnostic without its colour tags. */
export function diagnosticText(message: string) {
  return message.replaceAll(/<\{%[^%]*%\}>/g, "").trim()
}

/** The engine's `debug` comes along although its type leaves it out. */
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

function ownType(urn: string) {
  return urn.split("::")[2]?.split("$").at(-1) ?? ""
}

/** Components and providers are how the program is put together, not what it deploys. */
function isInternal(urn: string) {
  return /^(?:pulumi:|accounts:infra:)/.test(ownType(urn))
}

function resourceName(urn: string) {
  return `${ownType(urn).split(":").at(-1)} ${paint.dim(urn.split("::")[3] ?? "")}`
}

export function seconds(milliseconds: number) {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
