import { asked, plural } from "./format.js"

/** @typedef {import("./events.js").Entry} Entry */

/** Milliseconds between two announcements: whoever listens to them wants to hear the end. */
const pause = 3000

/**
 * Tells a screen reader of new requests and faults, in numbers and by the last of them.
 * @param {HTMLElement} region
 * @returns {(entry: Entry | undefined) => void}
 */
export function newsOf(region) {
  /** @type {Entry[]} */
  let heard = []
  const opened = Date.now()

  function announce() {
    const last = heard.at(-1)
    if (last === undefined) return
    const outcome = last.event === "request" ? last.status : last.event
    const many = plural(heard.length, "new entry", "new entries")
    region.textContent = `${many}, the last: ${asked(last)} ${outcome}`
    heard = []
  }

  return (entry) => {
    if (entry === undefined || Date.parse(entry.time) < opened) return
    if (!["request", "fault", "problem"].includes(entry.event)) return
    heard.push(entry)
    if (heard.length === 1) setTimeout(announce, pause)
  }
}
