import type { EngineEvent } from "@pulumi/pulumi/automation/index.js"

import { Failure } from "../../base/failure.ts"
import { say } from "../output.ts"
import { quiet } from "../plan/step.ts"
import { isInternal, readUrn } from "./resource-urn.ts"

/** Milliseconds after which the engine is told again to end: the second time it waits for no provider. */
const insistence = 5_000

const unchanged =
  "Nothing was changed. Try again once https://www.cloudflarestatus.com says that its API answers."
const perhaps = "That may have been made already. Ctrl-C ends it; then: ./accounts repair"

type Run = { stack: string; events: EngineEvent[]; caller?: AbortSignal | undefined }

/**
 * Notices that a run of the engine says nothing any more: no provider of Cloudflare's has a time limit. It is
 * said with what the engine waits for. A run that has changed nothing is ended; what another one waits for may
 * have been made, so that one is left to who started it.
 */
export function watchSilence({ stack, events, caller }: Run) {
  const patience = readPatience()
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, ...(caller ? [caller] : [])])
  const open = new Set<string>()
  let isChanging = false
  const silentFor = (seconds: number) => {
    const names = [...open].filter((urn) => !isInternal(urn)).map(readUrn)
    const what = names.map(({ kind, name }) => `${kind} ${name}`).join(", ")
    return `${stack}: nothing has happened for ${seconds} s, while the engine waits for ${what || "what it does not name"}.`
  }
  const end = () => {
    const text = silentFor(patience)
    if (isChanging) return say(`  ${text} ${perhaps}`)
    stop.abort(new Failure("UNANSWERED", `${text} ${unchanged}`, { facts: { events } }))
    timers.push(setInterval(() => signal.dispatchEvent(new Event("abort")), insistence))
  }
  const notice = () => say(`  ${silentFor(patience / 10)}`)
  const timers = [setTimeout(notice, patience * 100), setTimeout(end, patience * 1000)]
  return {
    signal,
    see({ resourcePreEvent: begun, resOutputsEvent: done, resOpFailedEvent: failed }: EngineEvent) {
      if (begun) open.add(begun.metadata.urn)
      isChanging ||= begun?.planning !== true && !quiet.has(begun?.metadata.op ?? "same")
      open.delete((done ?? failed)?.metadata.urn ?? "")
      if (!stop.signal.aborted) for (const timer of timers) timer.refresh()
    },
    [Symbol.dispose]: () => timers.forEach(clearTimeout),
  }
}

/** Seconds; by itself longer than a rate limit of Cloudflare's, which providers wait for, can last. */
function readPatience() {
  const text = process.env["ACCOUNTS_PATIENCE"] || "600"
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new Failure("USAGE", `ACCOUNTS_PATIENCE is ${text}; it is a number of seconds.`)
}
