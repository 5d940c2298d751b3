import type { Configuration } from "../configuration/configuration.ts"
import { checkNewPasswords } from "./password/new-password.ts"
import { checkTurnstile } from "./turnstile.ts"

type Given = { path: string; body?: unknown }

/** Throws for what Turnstile or the list of leaked passwords refuses, before an address is looked up. */
export async function askOthers(given: Given, configuration: Configuration) {
  await checkTurnstile(given, configuration)
  await checkNewPasswords(given, configuration)
}
