import { createClient } from "@accounts-stack/client"

/* The page's script starts with the session that the server has read, and follows its changes. */
const { session, api } = JSON.parse(document.getElementById("handed")?.textContent ?? "{}")
const accounts = createClient({ url: api, session })

accounts.session.subscribe(() => {
  // Another user has signed in since the page was made.
  if (accounts.session.get().session?.user.id !== session.user.id) window.location.reload()
})
