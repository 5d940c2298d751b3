import { randomBytes, randomUUID } from "node:crypto"

import * as z from "zod"

import { type Resource, unknownValue } from "./protocol/resource.ts"

const Inputs = z.strictObject({ bytes: z.int().min(16).max(1024) })

/** Random bytes, generated once; only a change of their number generates new ones. */
export const secret: Resource = {
  inputs: Inputs,
  secrets: ["value"],
  diff({ olds, inputs }) {
    return olds["bytes"] === inputs["bytes"] ? {} : { bytes: "replace" }
  },
  async preview({ inputs }) {
    return { ...inputs, value: unknownValue }
  },
  async create({ inputs }) {
    const { bytes } = Inputs.parse(inputs)
    const value = randomBytes(bytes).toString("base64url")
    return { id: randomUUID(), outputs: { bytes, value } }
  },
  async update({ olds }) {
    return olds
  },
  async read(state) {
    return state
  },
}
