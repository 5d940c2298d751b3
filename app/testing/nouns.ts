import { compatibility } from "../compatibility/testing/compatibility.ts"
import { consent } from "../consent/testing/consent.ts"
import { journal } from "../journal/testing/journal.ts"
import { payment } from "../payment/testing/payment.ts"
import type { Noun } from "./noun.ts"

export const nouns: Noun[] = [journal, compatibility, payment, consent]

/** Merges a table of all features. */
export function ofNouns<Value>(table: (noun: Noun) => Record<string, Value> | undefined) {
  return Object.fromEntries(nouns.flatMap((noun) => Object.entries(table(noun) ?? {})))
}
