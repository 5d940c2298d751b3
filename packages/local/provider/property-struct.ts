import struct, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js"

import { childPath, isValues, unknownValue, type Value, type Values } from "./property-value.ts"

// Pulumi's protocol marks secrets and unknown values in a protobuf Struct with these constants.
const signature = "4dabf18193072939515e22adb298388d"
const secretMark = "1b47061264138c4ac30d75fd1eb44270"
const unknownMark = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
const unknownMarks = new Set([
  unknownMark,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
])

/** The properties without their marks, and the paths of those that were marked as secret. */
export type DecodedProperties = { values: Values; secrets: ReadonlySet<string> }

export function decodeProperties(message: Struct | undefined): DecodedProperties {
  const secrets = new Set<string>()
  const values: Values = {}
  const sent = message?.toJavaScript() ?? {}
  for (const [name, value] of Object.entries(sent)) {
    values[name] = decodeValue(value, { path: childPath("", name), secrets })
  }
  return { values, secrets }
}

/** Marks the values at the paths in `secrets`. Names without a value are left out. */
export function encodeProperties(values: Values, secrets: ReadonlySet<string> = new Set()): Struct {
  return struct.Struct.fromJavaScript(encodeValues(values, { path: "", secrets }))
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
  if (typeof value !== "object") {
    throw new Error(`${place.path}: a ${typeof value} cannot be encoded`)
  }

  const entries = new Map<string, unknown>(Object.entries(value))
  const mark = entries.get(signature)
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

type Json = string | number | boolean | Json[] | { [name: string]: Json }

function encodeValue(value: Value, place: Place): Json {
  const plain = encodePlain(value, place)
  return place.secrets.has(place.path) ? { [signature]: secretMark, value: plain } : plain
}

function encodePlain(value: Value, place: Place): Json {
  if (value === unknownValue) return unknownMark
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      encodeValue(item, { ...place, path: childPath(place.path, index) }),
    )
  }
  return isValues(value) ? encodeValues(value, place) : value
}

function encodeValues(values: Values, place: Place): { [name: string]: Json } {
  const encoded: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    encoded[name] = encodeValue(value, { ...place, path: childPath(place.path, name) })
  }
  return encoded
}
