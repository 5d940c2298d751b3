import { readAddressCookie, setAddressCookie } from "../cookie/address-cookie.ts"
import type { EndpointContext } from "../cookie/host-cookie.ts"

const day = 24 * 60 * 60

/**
 * Names the browser's latest sign-up, whose letter it waits for. Anybody can sign up with somebody
 * else's address: only in the browser that chose the password does a letter alone verify it.
 */
const signUpBrowser = { name: "signed_up", maxAge: day }

/** @param id that of the account, also where the address has one already and none was made */
export function markSignUp(context: EndpointContext, { id, email }: { id: string; email: string }) {
  return setAddressCookie(context, signUpBrowser, { id, email })
}

/** Whether the account was signed up in this browser. */
export async function signedUpHere(
  context: EndpointContext,
  { user, email }: { user: string; email: string },
) {
  return (await readAddressCookie(context, signUpBrowser, email)) === user
}
