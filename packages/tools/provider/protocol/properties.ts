import structProto from "google-protobuf/google/protobuf/struct_pb.js"

import { type Properties, secretSignature } from "./resource.ts"

type Struct = InstanceType<typeof structProto.Struct>

export function decodeProperties(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {}
}

/** The engine encrypts the properties in `secrets` in state and hides them in its output. */
export function encodeProperties(properties: Properties, secrets: string[] = []): Struct {
  const marked = Object.entries(properties).map(([key, value]) => [
    key,
    secrets.includes(key) ? { ...secretSignature, value } : value,
  ])
  // JSON drops undefined, which the protocol cannot express.
  return structProto.Struct.fromJavaScript(JSON.parse(JSON.stringify(Object.fromEntries(marked))))
}
