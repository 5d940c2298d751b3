import { announceIn } from "./announcements.js"
import { byId, element } from "./element.js"
import { followEvents } from "./events.js"
import { SignedOut, isSignedIn, signInByLink, signOut } from "./session.js"
import { databases } from "./views/databases.js"
import { log } from "./views/log.js"
import { requests } from "./views/requests.js"
import { signIn } from "./views/sign-in.js"
import { workers } from "./views/workers.js"

/**
 * @typedef {import("./events.js").Entry} Entry
 * @typedef {import("./events.js").Events} Events
 * @typedef {import("./view.js").View} View
 * @typedef {import("./view.js").ViewContent} ViewContent
 */

/** @type {Record<string, View>} */
const views = { requests, workers, databases, log }

const content = byId("content")
const connection = byId("connection")
const titles = { connecting: "Connecting…", live: "Live", lost: "Not reachable, retrying…" }
/** Changes come in bursts: a deployment makes about ten calls. */
const redrawMilliseconds = 300

/** @type {(() => void)[]} */
let closers = []
/** @type {Events | undefined} */
let events
let showCount = 0
/** A view was opened but is not drawn yet. */
let isOpening = false

/** `#/databases/<id>/<table>?page=2` */
function readAddress() {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?")
  const [name = "", ...parts] = path.split("/").map(decodeURIComponent)
  const page = Math.max(1, Number(new URLSearchParams(query).get("page")) || 1)
  return { name: name in views ? name : "requests", parts, page }
}

/**
 * @param {{ moved: boolean, again?: boolean }} options `moved` when the user opened the view, `again`
 *   when it is drawn already and its data has changed
 */
async function show({ moved, again = false }) {
  if (events === undefined) return
  // A change meanwhile reads the view again; that must still move the focus to it.
  isOpening ||= moved
  const { name, parts, page } = readAddress()
  const view = views[name] ?? requests
  const ownCount = (showCount += 1)
  /** @type {(() => void)[]} */
  const opened = []
  /** @type {ViewContent | undefined} */
  const shown = await view
    .show({ events, parts, page, onLeave: (close) => opened.push(close) })
    .catch((error) => {
      if (error instanceof SignedOut) {
        showSignIn(error.message)
        return undefined
      }
      // Not reachable, as the header says: keep the last known data.
      if (again && !isOpening && error instanceof TypeError) return undefined
      return { content: [element("p", { class: "empty", role: "alert" }, String(error.message))] }
    })
  // A later call, often for another view, has taken over.
  if (shown === undefined || ownCount !== showCount) return opened.forEach((close) => close())
  for (const close of closers) close()
  closers = opened
  draw(shown.title ?? view.title, shown.content, isOpening)
  markCurrent(name)
  const { concerns } = view
  if (concerns !== undefined) closers.push(redrawOn(concerns))
}

/** @param {(entry: Entry) => boolean} concerns */
function redrawOn(concerns) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const unsubscribe = events?.subscribe((entry) => {
    if (entry !== undefined && (!isNew(entry) || !concerns(entry))) return
    clearTimeout(timer)
    timer = setTimeout(() => void show({ moved: false, again: true }), redrawMilliseconds)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe?.()
  }
}

/** Past entries are sent first. @param {Entry} entry */
function isNew({ time }) {
  return Date.now() - Date.parse(time) < 10_000
}

/** @param {string} title @param {(Node | string)[]} nodes @param {boolean} moved */
function draw(title, nodes, moved) {
  isOpening = false
  const heading = element("h1", { tabindex: -1 }, title)
  const focused = moved ? undefined : identify(document.activeElement)
  content.replaceChildren(heading, ...nodes)
  document.title = `${title} · Local Cloudflare`
  if (moved) heading.focus({ preventScroll: true })
  if (moved) scrollTo(0, 0)
  if (focused !== undefined) findAgain(focused)?.focus({ preventScroll: true })
}

/** Identifies an element, to find it after a redraw. @param {Element | null} node */
function identify(node) {
  if (node === null || !content.contains(node)) return undefined
  const name = node.getAttribute("href") ?? node.getAttribute("aria-label") ?? node.textContent
  return { tag: node.tagName, name }
}

/** @param {{ tag: string, name: string | null }} identity */
function findAgain({ tag, name }) {
  return [...content.querySelectorAll(tag)].find(
    /** @returns {node is HTMLElement} */
    (node) => node instanceof HTMLElement && identify(node)?.name === name,
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
function showSignIn(reason) {
  events?.stop()
  events = undefined
  for (const close of closers.splice(0)) close()
  byId("views").hidden = true
  byId("leave").hidden = true
  connection.textContent = ""
  connection.removeAttribute("data-state")
  draw("Sign in", signIn(reason), true)
}

function showConsole() {
  events = followEvents({
    onConnection(state) {
      connection.textContent = titles[state]
      connection.dataset["state"] = state
    },
    onSignedOut: showSignIn,
  })
  events.subscribe(announceIn(byId("announcements")))
  byId("views").hidden = false
  byId("leave").hidden = false
  // The sign-in page's heading, which is removed, may have the focus.
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
byId("leave").addEventListener(
  "click",
  () => void signOut().then(() => showSignIn("You have signed out.")),
)
// Following its href would leave the view.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault()
  content.focus()
})
addEventListener("hashchange", () => void navigate())

/** A sign-in link may be opened in a tab that already shows the console. */
async function navigate() {
  const wasIn = events !== undefined
  const problem = await signInByLink()
  if (!isSignedIn()) return showSignIn(problem)
  if (wasIn) return show({ moved: true })
  showConsole()
}

void navigate()
