import structProto from "google-protobuf/google/protobuf/struct_pb.js"

import type { Properties } from "./resource.ts"

type Struct = InstanceType<typeof structProto.Struct>

/** How the engine marks a secret inside a property bag. */
const secretMark = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
}

export function decode(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {}
}

/** `secrets` names the properties that the engine has to encrypt in state and hide in output. */
export function encode(properties: Properties, secrets: string[] = []): Struct {
  const marked = Object.entries(properties).map(([key, value]) => [
    key,
    secrets.includes(key) ? { ...secretMark, value } : value,
  ])
  // JSON drops what is undefined, which the protocol has no value for.
  return structProto.Struct.fromJavaScript(JSON.parse(JSON.stringify(Object.fromEntries(marked))))
}
