import structProto from "google-protobuf/google/protobuf/struct_pb.js"

import type { Properties } from "./resource.ts"

type Struct = InstanceType<typeof structProto.Struct>

/** Pulumi's signature of a secret among properties. */
const secretMark = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
}

export function decodeProperties(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {}
}

/** The engine encrypts the properties in `secrets` in state and hides them in its output. */
export function encodeProperties(properties: Properties, secrets: string[] = []): Struct {
  const marked = Object.entries(properties).map(([key, value]) => [
    key,
    secrets.includes(key) ? { ...secretMark, value } : value,
  ])
  // JSON drops undefined, which the protocol cannot express.
  return structProto.Struct.fromJavaScript(JSON.parse(JSON.stringify(Object.fromEntries(marked))))
}
