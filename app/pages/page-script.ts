import { createHash } from "node:crypto"

import { pageFiles } from "../page-paths.ts"

/**
 * Script of all pages. It shows times in the reader's time zone and the typed password, copies and prints recovery
 * codes, reports accepted and unknown passkeys to the browser, and requests a passkey for a page's passkey form.
 * Without the script, a sentence replaces such a form. The sign-in also offers passkeys in the address field, and
 * requests a new challenge after four minutes because it expires after five.
 */
const text = `(() => {
const { PublicKeyCredential: known, document } = self
const { lang } = document.documentElement
for (const time of document.querySelectorAll("time[data-at]")) {
  const at = new Date(time.dateTime)
  const distance = at - Date.now()
  const units = [["day", 864e5], ["hour", 36e5], ["minute", 6e4]]
  const [unit, size] = units.find(([, most]) => Math.abs(distance) >= most) ?? units[2]
  const near = new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(Math.round(distance / size), unit)
  const local = at.toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" })
  time.textContent = Math.abs(distance) < 7 * 864e5 ? near + ", " + local : local
}
for (const box of document.querySelectorAll("[data-shows]")) {
  box.checked = false
  box.parentElement.hidden = false
  box.onchange = () => (document.getElementById(box.dataset.shows).type = box.checked ? "text" : "password")
  box.form.addEventListener("submit", () => (document.getElementById(box.dataset.shows).type = "password"))
}
for (const button of document.querySelectorAll("[data-copy], [data-print]")) {
  button.hidden = false
  button.onclick = async () => {
    const { copy, copied } = button.dataset
    if (copy === undefined) return print()
    await navigator.clipboard.writeText(document.querySelector("pre").textContent)
    button.textContent = copied
  }
}
const { accepted, unknown } = document.querySelector("[data-accepted], [data-unknown]")?.dataset ?? {}
const ignore = () => {}
if (accepted) known?.signalAllAcceptedCredentials?.(JSON.parse(accepted)).catch(ignore)
if (unknown) known?.signalUnknownCredential?.(JSON.parse(unknown)).catch(ignore)
if (!known?.parseRequestOptionsFromJSON) return
for (const form of document.querySelectorAll("[data-passkey]")) {
  const purpose = form.dataset.passkey
  const ask = async (conditional) => {
    const answer = await fetch("/api/auth/passkey/begin", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ for: purpose }),
      signal: conditional?.signal,
    })
    const { create, get, code, data } = await answer.json()
    if (code === "STEP_UP_REQUIRED")
      return location.assign(form.dataset.proof + "&ways=" + encodeURIComponent(data.ways.join(" ")))
    if (!answer.ok) throw answer
    const credential = create
      ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(create) })
      : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(get), ...conditional })
    const { id, response } = credential.toJSON()
    for (const [name, value] of Object.entries({ id, ...response }))
      if (form.elements[name]) form.elements[name].value = value
    form.dataset.passkey = "sent"
    form.elements.act.disabled = false
    form.requestSubmit(form.elements.act)
  }
  let offered
  const offer = () => {
    const isBusy = form.elements.act.disabled || !document.hasFocus()
    if (isBusy || Date.now() - offered?.at < 24e4) return
    offered?.abort()
    offered = new AbortController()
    offered.at = Date.now()
    ask({ mediation: "conditional", signal: offered.signal }).catch(ignore)
  }
  if (document.querySelector("[autocomplete~=webauthn]"))
    known.isConditionalMediationAvailable?.().then((isAvailable) => {
      if (!isAvailable) return
      offer()
      setInterval(offer, 2e3)
    })
  form.hidden = false
  form.nextElementSibling.hidden = true
  form.addEventListener("submit", async (event) => {
    if (form.dataset.passkey === "sent") return
    event.preventDefault()
    const notes = [...form.querySelectorAll("[data-when]")]
    for (const note of notes) note.hidden = true
    form.elements.act.disabled = true
    offered?.abort()
    offered = undefined
    try {
      await ask()
    } catch ({ name }) {
      ;(notes.find(({ dataset }) => dataset.when === name) ?? notes.at(-1)).hidden = false
    }
    form.elements.act.disabled = false
  })
}
})()`

const digest = createHash("sha256").update(text).digest("base64url").slice(0, 12)

export const pageScript = { text, path: `${pageFiles}${digest}.js` }
