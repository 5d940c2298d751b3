import { randomBytes, randomUUID } from "node:crypto"

import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import type { Properties, Resource } from "./resource.ts"

const Inputs = z.strictObject({
  bytes: z.int().min(16).max(1024),
  /** Another number rotates the secret. */
  rotation: z.int().optional(),
})
export type Inputs = z.infer<typeof Inputs>

/** Random bytes, generated once; another size or rotation generates new bytes. */
export const secret: Resource = {
  inputs: Inputs,
  secrets: ["value"],
  diff({ olds, inputs }) {
    if (olds["bytes"] !== inputs["bytes"]) return { bytes: "replace" }
    return olds["rotation"] === inputs["rotation"] ? {} : { rotation: "update" }
  },
  async preview({ inputs }) {
    return { ...inputs, value: unknownValue }
  },
  async create({ inputs }) {
    return { id: randomUUID(), outputs: generate(Inputs.parse(inputs)) }
  },
  async update({ inputs }) {
    return generate(Inputs.parse(inputs))
  },
  async read(state) {
    if (typeof state.outputs["value"] === "string") return state
    throw new Error(
      "Secret cannot be imported, because it generates its value: " +
        "bring an existing one with pulumi config set --secret --path 'accounts:secrets.<BINDING>'",
    )
  },
}

function generate(inputs: Inputs): Properties {
  return { ...inputs, value: randomBytes(inputs.bytes).toString("base64url") }
}
