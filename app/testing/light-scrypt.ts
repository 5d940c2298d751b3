import { scrypt as scryptOfNode, type ScryptOptions } from "node:crypto"

/** The full cost is this power of two times as much. */
const lightness = 128

let isLight = true

/** Turns on the full cost, for tests about it. Returns a function that turns it off. */
export function hashAtFullCost(): () => void {
  isLight = false
  return () => {
    isLight = true
  }
}

let derived = 0

/** How many passwords the tests have hashed so far, to store or to compare. */
export function hashesSoFar(): number {
  return derived
}

type Done = (error: Error | null, key: Buffer) => void

/** @public `light-passwords.ts` makes app/service/sign-in/password/password.ts import it. */
export function scrypt(
  ...[password, salt, length, { N = 16_384, ...cost }, done]: [
    string,
    string,
    number,
    ScryptOptions,
    Done,
  ]
): void {
  derived += 1
  scryptOfNode(password, salt, length, { ...cost, N: isLight ? N / lightness : N }, done)
}
