import * as runtime from "@pulumi/pulumi/runtime/rpc.js"
import struct from "google-protobuf/google/protobuf/struct_pb.js"
import { expect, test } from "vitest"

import { decodeProperties, encodeProperties, unknownValue } from "./properties.ts"

test("properties use the engine's marks for secrets and unknown values", () => {
  const mark = { [runtime.specialSigKey]: runtime.specialSecretSig, value: "s" }
  const properties = {
    secret: mark,
    list: [{ "a.b": mark }],
    unknown: runtime.unknownValue,
    gone: null,
  }
  const { values, secrets } = decodeProperties(struct.Struct.fromJavaScript(properties))
  expect(values).toEqual({ secret: "s", list: [{ "a.b": "s" }], unknown: unknownValue })
  expect(secrets).toEqual(new Set(["secret", 'list[0]["a.b"]']))
  const { gone: _, ...present } = properties
  expect(encodeProperties(values, secrets).toJavaScript()).toEqual(present)
})
