const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** A prefixed opaque id of 120 random bits, such as `journal_entry_5k0…`. */
export function createId(prefix: string) {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return `${prefix}_${Array.from(bytes, (byte) => alphabet.charAt(byte & 31)).join("")}`
}
