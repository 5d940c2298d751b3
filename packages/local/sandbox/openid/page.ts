import { html } from "hono/html"

import { page } from "../page.ts"

export function signInPage(path: string) {
  return page(
    "Sign in",
    html`<p class="note">An identity provider on this machine: sign in as anybody.</p>
      <form method="post" action="${path}/sign-in">
        <p>
          <label>E-mail <input name="email" type="email" value="ada@example.com" required /></label>
        </p>
        <p>
          <label>Name <input name="name" value="Ada" /></label>
        </p>
        <p>
          <label
            ><input name="verified" type="checkbox" checked /> The e-mail address is verified</label
          >
        </p>
        <button>Sign in</button>
      </form>
      <form method="post" action="${path}/refuse"><button>Refuse</button></form>`,
  )
}

/** @param start URL of the service that starts a sign-in; undefined before it is deployed */
export function overviewPage(issuer: string, start: string | undefined) {
  return page(
    "Identity provider",
    html`<p>Issuer: <code>${issuer}</code></p>
      ${
        start === undefined
          ? html`<p class="note">The service has not been deployed yet.</p>`
          : html`<p><a href="${start}">Sign in with it</a>, and see the session.</p>`
      }`,
  )
}
