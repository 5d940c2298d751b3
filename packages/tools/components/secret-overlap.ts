import * as z from "zod"

import { project } from "../project/own-project.ts"
import type { RotatedSecret } from "../project/project.ts"

/** A rotation of a secret that is under way, or whose end nobody has written down yet. */
export type Overlap = Rotation & {
  /** When the new value takes over; the former one is used until then. */
  from: Date
  /** When the former value is needed no more. */
  until: Date
}

/** A secret that has a rotation. */
export type Rotation = RotatedSecret & {
  name: string
  /** Where the former value is kept. */
  previous: string
}

/** Every secret that has one. */
export const secretRotations = Object.entries(project.rotated).map(([name, rotated]): Rotation =>
  Object.assign({ name, previous: `${name}_PREVIOUS` }, rotated),
)

/** @param time as a stack file has it; undefined, like any that is none, for no rotation */
export function overlapAt(rotation: Rotation, time: unknown): Overlap | undefined {
  const { data } = z.iso.datetime().safeParse(time)
  if (data === undefined) return undefined
  const from = new Date(data)
  return { ...rotation, from, until: new Date(from.getTime() + rotation.lasts * 1000) }
}

/** Those that a stack file tells of. */
export function overlapsOf(environment: object): Overlap[] {
  return secretRotations.flatMap(
    (rotation) => overlapAt(rotation, Object(environment)[rotation.key]) ?? [],
  )
}

/** To the minute, in UTC: `2026-11-30 12:00 UTC`. */
export function describeTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`
}
