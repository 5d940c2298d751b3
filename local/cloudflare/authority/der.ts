/** Tags of ASN.1 (X.690). */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** The tag of field `number`: of one that contains others unless it is `primitive`. */
export function fieldTag(number: number, { primitive = false } = {}): number {
  return (primitive ? 0x80 : 0xa0) | number
}

/** A value in DER (X.690, 8.1): its tag, its length and its content. */
export function encode(type: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([type, ...lengthOf(content.length)]), content])
}

/** One byte up to 127; beyond that the number of bytes that follow. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes = bytesOf(length)
  return [0x80 | bytes.length, ...bytes]
}

function bytesOf(number: number): number[] {
  return number < 0x100 ? [number] : [...bytesOf(number >> 8), number & 0xff]
}

/** @param dotted for example `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap(inGroupsOfSeven)
  return encode(tag.objectIdentifier, Buffer.from(bytes))
}

/** Every byte but the last has its first bit set. */
function inGroupsOfSeven(number: number): number[] {
  const groups = [number & 0x7f]
  for (let left = number >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f))
  return groups
}

/** Seconds; two digits of the year until 2049, as RFC 5280 wants it. */
export function time(instant: number): Buffer {
  const digits = new Date(instant).toISOString().replace(/\.\d+Z$|\D/g, "")
  const isShort = Number(digits.slice(0, 4)) < 2050
  const text = `${isShort ? digits.slice(2) : digits}Z`
  return encode(isShort ? tag.utcTime : tag.generalizedTime, Buffer.from(text, "ascii"))
}

/** The values inside one that contains others. */
export function partsOf(value: Uint8Array): Buffer[] {
  const { content } = firstOf(Buffer.from(value))
  const parts: Buffer[] = []
  for (let rest = content; rest.length > 0;) {
    const { whole } = firstOf(rest)
    parts.push(whole)
    rest = rest.subarray(whole.length)
  }
  return parts
}

function firstOf(bytes: Buffer): { whole: Buffer; content: Buffer } {
  const length = bytes[1] ?? 0
  const extra = length < 0x80 ? 0 : length & 0x7f
  const start = 2 + extra
  const end = start + (extra === 0 ? length : bytes.readUIntBE(2, extra))
  return { whole: bytes.subarray(0, end), content: bytes.subarray(start, end) }
}
