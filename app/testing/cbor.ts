type Value = number | string | Uint8Array | Map<number | string, Value>

function head(major: number, length: number) {
  const type = major << 5
  if (length < 24) return [type | length]
  if (length < 256) return [type | 24, length]
  return [type | 25, length >> 8, length & 255]
}

/**
 * Encodes the values that authenticators send: integers, text, bytes and maps (RFC 8949), each up to 64 KiB.
 */
export function encodeCbor(value: Value): Uint8Array {
  if (typeof value === "number") {
    return Uint8Array.from(value < 0 ? head(1, -1 - value) : head(0, value))
  }
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)])
    return Buffer.concat([Uint8Array.from(head(5, value.size)), ...pairs])
  }
  const bytes = typeof value === "string" ? Buffer.from(value) : value
  const major = typeof value === "string" ? 3 : 2
  return Buffer.concat([Uint8Array.from(head(major, bytes.length)), bytes])
}
