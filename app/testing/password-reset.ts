import type { Browser } from "./browser.ts"
import type { createMailbox } from "./mailbox.ts"

type Reset = { email: string; newPassword: string }

/** Resets the password of an account by the email that the browser asks for. Returns the answer to the reset. */
export async function resetPassword(
  browser: Browser,
  { linkOf }: Pick<ReturnType<typeof createMailbox>, "linkOf">,
  { email, newPassword }: Reset,
) {
  await browser.post("/api/auth/request-password-reset", { email })
  const link = new URL(await linkOf(email, "Reset your password"))
  const token = link.searchParams.get("token")
  return browser.post("/api/auth/reset-password", { token, newPassword })
}
