const whole = new Intl.NumberFormat("en")
const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" })
const day = new Intl.DateTimeFormat("en-CA", { dateStyle: "short" })

/** @param {number} value */
export function count(value) {
  return whole.format(value)
}

/** @param {number} value */
export function bytes(value) {
  if (value < 1024) return `${whole.format(value)} B`
  if (value < 1024 ** 2) return `${tenth.format(value / 1024)} KiB`
  return `${tenth.format(value / 1024 ** 2)} MiB`
}

/** @param {number} value */
export function milliseconds(value) {
  return value < 10_000 ? `${whole.format(value)} ms` : `${tenth.format(value / 1000)} s`
}

/** @param {number} value */
export function percent(value) {
  return `${tenth.format(value)} %`
}

/**
 * Local time, with the date unless it is today. The tooltip has the full time.
 * @param {string} iso
 */
export function moment(iso) {
  const at = new Date(iso)
  const time = document.createElement("time")
  time.dateTime = iso
  time.title = iso
  const today = at.toDateString() === new Date().toDateString()
  time.textContent = today ? clock.format(at) : `${day.format(at)} ${clock.format(at)}`
  return time
}

/** The first digits of an id, as in Cloudflare's preview URLs. @param {string} id */
export function shortId(id) {
  const code = document.createElement("code")
  code.title = id
  code.textContent = id.slice(0, 8)
  return code
}

/** @param {import("./events.js").Entry} entry */
export function methodAndPath(entry) {
  return [entry.method, hostAndPath(entry)].filter(Boolean).join(" ")
}

/** @param {import("./events.js").Entry} entry */
export function hostAndPath({ host = "", path = "" }) {
  // There is only one account: its id would tell nothing.
  const short = path.replace(/^(\/client\/v4\/accounts\/)[0-9a-f]{32}/, "$1…")
  return `${host}${short}`
}

/**
 * @param {number} amount
 * @param {string} one
 * @param {string} [many]
 */
export function plural(amount, one, many = `${one}s`) {
  return `${count(amount)} ${amount === 1 ? one : many}`
}
