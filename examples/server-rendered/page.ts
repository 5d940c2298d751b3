import { createClient } from "@accounts-stack/client"

/* What the page's script adds: it begins with the session that the server was told, and follows it. */
const { session, api } = JSON.parse(document.getElementById("handed")?.textContent ?? "{}")
const accounts = createClient({ url: api, session })

accounts.session.subscribe(() => {
  // The page is somebody else's by now.
  if (accounts.session.get().session?.user.id !== session.user.id) window.location.reload()
})
