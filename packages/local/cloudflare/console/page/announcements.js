import { methodAndPath, plural } from "./format.js"

/** @typedef {import("./events.js").Entry} Entry */

/** Milliseconds between announcements, so that a screen reader can finish one. */
const pause = 3000

/**
 * Announces new requests and faults to screen readers: how many, and the latest one.
 * @param {HTMLElement} region
 * @returns {(entry: Entry | undefined) => void}
 */
export function announceIn(region) {
  /** @type {Entry[]} */
  let pending = []
  const opened = Date.now()

  function announce() {
    const last = pending.at(-1)
    if (last === undefined) return
    const outcome = last.event === "request" ? last.status : last.event
    const many = plural(pending.length, "new entry", "new entries")
    region.textContent = `${many}, latest: ${methodAndPath(last)} ${outcome}`
    pending = []
  }

  return (entry) => {
    if (entry === undefined || Date.parse(entry.time) < opened) return
    if (!["request", "fault", "problem"].includes(entry.event)) return
    pending.push(entry)
    if (pending.length === 1) setTimeout(announce, pause)
  }
}
