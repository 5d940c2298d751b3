import type { Session } from "@accounts-stack/client"

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

function escape(text: string) {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "")
}

function page(message: string, ...parts: string[]) {
  return `<!doctype html><html lang="en"><meta charset="utf-8" /><title>Server-rendered</title>
<p role="alert">${escape(message)}</p>
${parts.join("\n")}</html>`
}

export function signInPage(message: string) {
  return page(
    message,
    `<p role="status">Signed out</p>`,
    `<form id="sign-in" method="post" action="/sign-in">
<label>E-mail <input name="email" type="email" required /></label>
<label>Password <input name="password" type="password" required /></label>
<button>Sign in</button></form>`,
  )
}

type Shown = { session: Session; message: string; api: string }

export function entryPage({ session, message, api }: Shown) {
  const { id, name } = session.user
  // No text of a member's ends the element.
  const handed = JSON.stringify({ session, api }).replaceAll("<", String.raw`\u003c`)
  return page(
    message,
    `<p role="status">Signed in as ${escape(name)}</p>`,
    `<form id="profile" method="post" action="/profile">
<input type="hidden" name="user" value="${escape(id)}" />
<label>Name <input name="name" value="${escape(name)}" required /></label>
<button>Save</button></form>`,
    `<script type="application/json" id="handed">${handed}</script>`,
    `<script type="module" src="/page.js"></script>`,
  )
}
