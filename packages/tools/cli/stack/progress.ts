import type { EngineEvent } from "@pulumi/pulumi/automation/index.js"

import { Failure } from "../../base/failure.ts"
import { interruptSignal } from "../confirm.ts"
import { nextCommand, type StackPlace } from "../local-options.ts"
import { paint, say } from "../output.ts"
import { isInternal, quiet, readUrn } from "../plan/step.ts"

/** Sign, past tense, and verb in a plan; a plan omits operations without that verb. */
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
  /** Whether the operation is a plan. */
  planned: boolean
  /** Diagnostics that the command has printed so far, including earlier operations. */
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

/** Formats changes: `2 create, 8 unchanged`. */
export function summarizeChanges(changes: Record<string, number | undefined>): string {
  const { same = 0, ...counts } = changes
  const parts = Object.entries(counts).map(([operation, count]) => `${count} ${operation}`)
  return `${parts.length > 0 ? parts.join(", ") : "0 changes"}, ${same} unchanged`
}

/** Milliseconds before the engine gets a second signal, after which it no longer waits for providers. */
const insistence = 5_000

const unchanged =
  "Nothing was changed. Try again once https://www.cloudflarestatus.com says that its API answers."

type Run = { place: StackPlace; events: EngineEvent[]; caller?: AbortSignal | undefined }

/**
 * Watches a run of the engine for silence, because Cloudflare's providers have no timeout, and prints which
 * resources it waits for. A silent run that has changed nothing is ended. A run that may have created something
 * continues until its user stops it. The first Ctrl-C lets the engine finish its current steps and release the
 * lock; the second one ends everything.
 */
export function watchRun({ place, events, caller }: Run) {
  const { stack } = place
  const patience = readPatience()
  const stop = new AbortController()
  const open = new Set<string>()
  let isChanging = false
  const awaited = () => {
    const names = [...open].filter((urn) => !isInternal(urn)).map(readUrn)
    return names.map(({ kind, name }) => `${kind} ${name}`).join(", ") || "what it does not name"
  }
  const silentFor = (time: number) =>
    `${stack}: nothing has happened for ${time} s, while the engine waits for ${awaited()}.`
  const repair = nextCommand("repair", place)
  const interrupt = interruptSignal(
    `The engine has freed ${stack}. If something is left: ${repair}`,
    () =>
      say(`  ${stack}: ending, once the engine has ${awaited()}. Again: at once, without waiting.`),
  )
  const signal = AbortSignal.any([stop.signal, interrupt.signal, ...(caller ? [caller] : [])])
  const end = () => {
    const text = silentFor(patience)
    if (isChanging) {
      return say(`  ${text} That may have been made already. Ctrl-C twice ends it; then: ${repair}`)
    }
    stop.abort(new Failure("UNANSWERED", `${text} ${unchanged}`, { facts: { events } }))
    timers.push(setInterval(() => signal.dispatchEvent(new Event("abort")), insistence))
  }
  const notice = () => say(`  ${silentFor(patience / 10)}`)
  const timers = [setTimeout(notice, patience * 100), setTimeout(end, patience * 1000)]
  return {
    signal,
    see({
      resourcePreEvent: startedStep,
      resOutputsEvent: done,
      resOpFailedEvent: failed,
    }: EngineEvent) {
      if (startedStep) open.add(startedStep.metadata.urn)
      isChanging ||=
        startedStep?.planning !== true && !quiet.has(startedStep?.metadata.op ?? "same")
      open.delete((done ?? failed)?.metadata.urn ?? "")
      if (!stop.signal.aborted) for (const timer of timers) timer.refresh()
    },
    [Symbol.dispose]: () => {
      timers.forEach(clearTimeout)
      interrupt[Symbol.dispose]()
    },
  }
}

/** Reads the seconds of silence before a run counts as stuck. The default exceeds Cloudflare's longest rate limit. */
function readPatience() {
  const text = process.env["ACCOUNTS_PATIENCE"] || "600"
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new Failure("USAGE", `ACCOUNTS_PATIENCE is ${text}; it is a number of seconds.`)
}
