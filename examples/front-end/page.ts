export function element(id: string): HTMLElement {
  const node = document.getElementById(id)
  if (node === null) throw new Error(`The page has no #${id}`)
  return node
}

/** Puts a text into a form's field. */
export function fill(id: string, field: string, text: string) {
  const input = element(id).querySelector(`[name=${field}]`)
  if (input instanceof HTMLInputElement) input.value = text
}

type Fields = Record<"name" | "email" | "password" | "newPassword", string>

/** Calls the handler with the text of the form's fields; a field that it lacks is empty. */
export function onSubmit(id: string, handle: (fields: Fields) => Promise<unknown>) {
  element(id).addEventListener("submit", (event) => {
    event.preventDefault()
    if (!(event.target instanceof HTMLFormElement)) return
    const form = new FormData(event.target)
    const text = (name: string) => {
      const value = form.get(name)
      return typeof value === "string" ? value : ""
    }
    const [name, email] = [text("name"), text("email")]
    void handle({ name, email, password: text("password"), newPassword: text("newPassword") })
  })
}

export function onClick(id: string, handle: () => unknown) {
  element(id).addEventListener("click", () => void handle())
}

/** Shows a message, or who is signed in. */
export function show(role: "alert" | "status", text: string) {
  const place = document.querySelector(`[role="${role}"]`)
  if (place) place.textContent = text
}
