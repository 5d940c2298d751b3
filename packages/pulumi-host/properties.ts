import proto, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js"

/** A value that a property of a resource can have; secrets are unwrapped, see `DecodedProperties`. */
export type Value = string | number | boolean | Value[] | Values
export type Values = { [name: string]: Value | undefined }

/** Replaces, in a preview, a value that only `up` will know. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

/** Marks of unknown values by their kind; all are read as `unknownValue`. */
const unknownMarks = new Set([
  unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
])

/** The key by which Pulumi marks special values among properties. */
export const signatureKey = "4dabf18193072939515e22adb298388d"

const secretMark = "1b47061264138c4ac30d75fd1eb44270"

/** The mark of a secret. */
export const secretSignature = { [signatureKey]: secretMark }

/** The properties without their marks, and the paths of those that were marked as secret. */
export type DecodedProperties = { values: Values; secrets: ReadonlySet<string> }

/** Names without a value, null included, are left out. */
export function decodeProperties(message: Struct | undefined): DecodedProperties {
  const secrets = new Set<string>()
  const values: Values = {}
  for (const [name, value] of Object.entries<unknown>(message?.toJavaScript() ?? {})) {
    values[name] = decodeValue(value, { path: childPath("", name), secrets })
  }
  return { values, secrets }
}

/** Marks the values at the paths in `secrets`. Names without a value are left out. */
export function encodeProperties(
  values: Record<string, unknown>,
  secrets: ReadonlySet<string> = new Set(),
): Struct {
  return proto.Struct.fromJavaScript(encodeValues(values, { path: "", secrets }))
}

type Place = { path: string; secrets: ReadonlySet<string> }

function decodeValue(
  value: unknown,
  place: { path: string; secrets: Set<string> },
): Value | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === "string") return unknownMarks.has(value) ? unknownValue : value
  if (typeof value === "number" || typeof value === "boolean") return value
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const decoded = decodeValue(item, { ...place, path: childPath(place.path, index) })
      return decoded === undefined ? [] : [decoded]
    })
  }
  const entries = new Map<string, unknown>(Object.entries(value))
  const mark = entries.get(signatureKey)
  if (mark === secretMark) {
    place.secrets.add(place.path)
    return decodeValue(entries.get("value"), place)
  }
  if (mark !== undefined) {
    throw new Error(`${place.path}: assets, archives and resource references are not accepted`)
  }
  const values: Values = {}
  for (const [name, item] of entries) {
    values[name] = decodeValue(item, { ...place, path: childPath(place.path, name) })
  }
  return values
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

function encodeValue(value: unknown, place: Place): Json {
  const plain = encodePlain(value, place)
  return place.secrets.has(place.path) ? { ...secretSignature, value: plain } : plain
}

function encodePlain(value: unknown, place: Place): Json {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value
  }
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      encodeValue(item, { ...place, path: childPath(place.path, index) }),
    )
  }
  if (typeof value === "object") return encodeValues({ ...value }, place)
  throw new Error(`${place.path}: a ${typeof value} cannot be encoded`)
}

function encodeValues(values: Record<string, unknown>, place: Place): { [name: string]: Json } {
  const encoded: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    encoded[name] = encodeValue(value, { ...place, path: childPath(place.path, name) })
  }
  return encoded
}

export function isValues(value: Value | undefined): value is Values {
  return typeof value === "object" && !Array.isArray(value)
}

/** The path of a child as the engine writes it: `bindings[0].text`, `exports["a.b"]`. */
export function childPath(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === "" ? key : `${parent}.${key}`
}

/** Compares values deeply; a missing name equals an undefined value. */
export function equal(left: Value | undefined, right: Value | undefined): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equal(item, right[index]))
    )
  }
  if (!isValues(left) || !isValues(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => equal(left[name], right[name]))
}
