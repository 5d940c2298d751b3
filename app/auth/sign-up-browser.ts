import { readAddressCookie, setAddressCookie } from "./address-cookie.ts"
import type { EndpointContext } from "./host-cookie.ts"

const day = 24 * 60 * 60

/**
 * Names the browser's latest sign-up, whose letter it waits for. Whoever signs up with the same
 * address later sends a letter, too: in this browser it must not verify the stranger's password.
 */
const signUpBrowser = { name: "signed_up", maxAge: day }

/** @param id that of the account, also where the address has one already and none was made */
export function markSignUp(context: EndpointContext, { id, email }: { id: string; email: string }) {
  return setAddressCookie(context, signUpBrowser, { id, email })
}

/** Whether this browser signed up with the address, and waits for the letter of another account. */
export async function awaitsAnother(
  context: EndpointContext,
  { user, email }: { user: string; email: string },
) {
  const awaited = await readAddressCookie(context, signUpBrowser, email)
  return awaited !== undefined && awaited !== user
}
