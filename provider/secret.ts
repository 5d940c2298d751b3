import { randomBytes, randomUUID } from "node:crypto"

import * as z from "zod"

import { type Resource, unknown } from "./protocol/resource.ts"

const Inputs = z.strictObject({ bytes: z.int().min(16).max(1024) })

/** Bytes from the system's generator, made once and kept until another length is asked for. */
export const secret: Resource = {
  inputs: Inputs,
  secrets: ["value"],
  diff({ olds, inputs }) {
    return olds["bytes"] === inputs["bytes"] ? {} : { bytes: "replace" }
  },
  async preview({ inputs }) {
    return { ...inputs, value: unknown }
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
