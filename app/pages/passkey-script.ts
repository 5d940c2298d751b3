import { createHash } from "node:crypto"

import { pageFiles } from "../page-paths.ts"

/**
 * Asks the browser for a passkey where a page has a form for it, and sends what it answers as the form's fields.
 * Tells it first which passkeys the service takes, or has not, as far as the page says so. Without it, or in a browser that knows no passkeys, the form stays hidden and a sentence stands in its place.
 */
const text = `(() => {
const { PublicKeyCredential: known, document } = self
const { accepted, unknown } = document.currentScript.dataset
const ignore = () => {}
if (accepted) known?.signalAllAcceptedCredentials?.(JSON.parse(accepted)).catch(ignore)
if (unknown) known?.signalUnknownCredential?.(JSON.parse(unknown)).catch(ignore)
if (!known?.parseRequestOptionsFromJSON) return
for (const form of document.querySelectorAll("[data-passkey]")) {
  const purpose = form.dataset.passkey
  const ask = async () => {
    const answer = await fetch("/api/auth/passkey/begin", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ for: purpose }),
    })
    const { create, get, code, data } = await answer.json()
    if (code === "STEP_UP_REQUIRED")
      return location.assign(form.dataset.proof + "&ways=" + encodeURIComponent(data.ways.join(" ")))
    if (!answer.ok) throw answer
    const credential = create
      ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(create) })
      : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(get) })
    const { id, response } = credential.toJSON()
    for (const [name, value] of Object.entries({ id, ...response }))
      if (form.elements[name]) form.elements[name].value = value
    form.dataset.passkey = "sent"
    form.elements.act.disabled = false
    form.requestSubmit(form.elements.act)
  }
  form.hidden = false
  form.nextElementSibling.hidden = true
  form.addEventListener("submit", async (event) => {
    if (form.dataset.passkey === "sent") return
    event.preventDefault()
    const notes = [...form.querySelectorAll("[data-when]")]
    for (const note of notes) note.hidden = true
    form.elements.act.disabled = true
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

export const passkeyScript = { text, path: `${pageFiles}${digest}.js` }
