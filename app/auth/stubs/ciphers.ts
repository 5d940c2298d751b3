/* The library encrypts nothing here: the state of a sign-in is sealed by `jose`. */

function unused(): never {
  throw new Error("@noble/ciphers is not part of this bundle")
}

export const xchacha20poly1305 = unused
export const managedNonce = unused
export const bytesToHex = unused
export const hexToBytes = unused
export const utf8ToBytes = unused
