import { byId, element } from "./element.js"
import { followEvents } from "./events.js"
import { newsOf } from "./news.js"
import { SignedOut, enterByLink, leave, signedIn } from "./session.js"
import { databases } from "./views/databases.js"
import { domains } from "./views/domains.js"
import { faults } from "./views/faults.js"
import { log } from "./views/log.js"
import { overview } from "./views/overview.js"
import { requests } from "./views/requests.js"
import { signIn } from "./views/sign-in.js"
import { workers } from "./views/workers.js"

/**
 * @typedef {import("./events.js").Entry} Entry
 * @typedef {import("./events.js").Events} Events
 * @typedef {{ events: Events, parts: string[], page: number, onLeave: (end: () => void) => void }} Place
 * @typedef {{ title?: string, content: (Node | string)[] }} Shown
 * @typedef {{
 *   title: string,
 *   show: (place: Place) => Promise<Shown>,
 *   concerns?: (entry: Entry) => boolean,
 * }} View
 */

/** @type {Record<string, View>} */
const views = { overview, workers, databases, domains, requests, faults, log }

const content = byId("content")
const connection = byId("connection")
const titles = { connecting: "Connecting…", live: "Live", lost: "Not reachable, trying again…" }
/** Changes often come in rows: a deployment is some ten calls. */
const quiet = 300

/** @type {(() => void)[]} */
let closers = []
/** @type {Events | undefined} */
let events
let turn = 0
/** Somebody goes to a view that is not drawn yet. */
let going = false

/** `#/databases/<id>/<table>?page=2` */
function readAddress() {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?")
  const [name = "", ...parts] = path.split("/").map(decodeURIComponent)
  const page = Math.max(1, Number(new URLSearchParams(query).get("page")) || 1)
  return { name: name in views ? name : "overview", parts, page }
}

/**
 * @param {{ moved: boolean, again?: boolean }} options whether somebody went there, and whether it
 *   is there already and has changed
 */
async function show({ moved, again = false }) {
  if (events === undefined) return
  // A change on the way has the view read again: whoever went there still has to arrive.
  going ||= moved
  const { name, parts, page } = readAddress()
  const view = views[name] ?? overview
  const mine = (turn += 1)
  /** @type {(() => void)[]} */
  const opened = []
  /** @type {Shown | undefined} */
  const shown = await view
    .show({ events, parts, page, onLeave: (close) => opened.push(close) })
    .catch((error) => {
      if (error instanceof SignedOut) {
        end(error.message)
        return undefined
      }
      // Nobody answers, as the connection says: what was known last is better than nothing.
      if (again && !going && error instanceof TypeError) return undefined
      return { content: [element("p", { class: "empty", role: "alert" }, String(error.message))] }
    })
  // Somebody went on while it was fetched.
  if (shown === undefined || mine !== turn) return opened.forEach((close) => close())
  for (const close of closers) close()
  closers = opened
  draw(shown.title ?? view.title, shown.content, going)
  markCurrent(name)
  const { concerns } = view
  if (concerns !== undefined) closers.push(redrawOn(concerns))
}

/** @param {(entry: Entry) => boolean} concerns */
function redrawOn(concerns) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const unsubscribe = events?.subscribe((entry) => {
    if (entry !== undefined && (!fresh(entry) || !concerns(entry))) return
    clearTimeout(timer)
    timer = setTimeout(() => void show({ moved: false, again: true }), quiet)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe?.()
  }
}

/** Not one of the past, which come first. @param {Entry} entry */
function fresh({ time }) {
  return Date.now() - Date.parse(time) < 10_000
}

/** @param {string} title @param {(Node | string)[]} nodes @param {boolean} moved */
function draw(title, nodes, moved) {
  going = false
  const heading = element("h1", { tabindex: -1 }, title)
  const focused = moved ? undefined : trace(document.activeElement)
  content.replaceChildren(heading, ...nodes)
  document.title = `${title} · Local Cloudflare`
  if (moved) heading.focus({ preventScroll: true })
  if (moved) scrollTo(0, 0)
  if (focused !== undefined) retrace(focused)?.focus({ preventScroll: true })
}

/** What finds an element again after its view was drawn anew. @param {Element | null} node */
function trace(node) {
  if (node === null || !content.contains(node)) return undefined
  const name = node.getAttribute("href") ?? node.getAttribute("aria-label") ?? node.textContent
  return { tag: node.tagName, name }
}

/** @param {{ tag: string, name: string | null }} traced */
function retrace({ tag, name }) {
  return [...content.querySelectorAll(tag)].find(
    /** @returns {node is HTMLElement} */
    (node) => node instanceof HTMLElement && trace(node)?.name === name,
  )
}

/** @param {string} name */
function markCurrent(name) {
  for (const link of byId("views").querySelectorAll("a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page")
    else link.removeAttribute("aria-current")
  }
}

/** @param {string} [reason] */
function end(reason) {
  events?.stop()
  events = undefined
  for (const close of closers.splice(0)) close()
  byId("views").hidden = true
  byId("leave").hidden = true
  connection.textContent = ""
  connection.removeAttribute("data-state")
  draw("Sign in", signIn(reason), true)
}

function begin() {
  events = followEvents({
    onConnection(state) {
      connection.textContent = titles[state]
      connection.dataset["state"] = state
    },
    onSignedOut: end,
  })
  events.subscribe(newsOf(byId("news")))
  byId("views").hidden = false
  byId("leave").hidden = false
  // On the page to sign in the focus was on its heading, which goes.
  void show({ moved: content.contains(document.activeElement) })
}

byId("views").append(
  element(
    "ul",
    {},
    ...Object.entries(views).map(([name, { title }]) =>
      element("li", {}, element("a", { href: `#/${name}` }, title)),
    ),
  ),
)
byId("leave").addEventListener("click", () => void leave().then(() => end("You have signed out.")))
// Its own address would lead away from the view.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault()
  content.focus()
})
addEventListener("hashchange", () => void arrive())

/** A link to sign in may be opened in a tab that is here already. */
async function arrive() {
  const wasIn = events !== undefined
  const problem = await enterByLink()
  if (!signedIn()) return end(problem)
  if (wasIn) return show({ moved: true })
  begin()
}

void arrive()
