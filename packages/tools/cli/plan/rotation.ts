import {
  type Rotation,
  describeTime,
  overlapAt,
  secretRotations,
} from "../../environment/secrets.ts"
import type { Plan } from "./plan.ts"

type Changed = Pick<Plan, "bindings" | "secrets">

function changeOf({ secrets }: Changed, name: string) {
  return secrets.find((one) => one.name === name)?.change
}

/** What becomes of the former values of secrets: a sentence for each that is rotated, or whose rotation ends. */
export function rotationsOf(plan: Changed): string[] {
  return secretRotations.flatMap((rotation) => sentenceOf(plan, rotation) ?? [])
}

function sentenceOf(plan: Changed, rotation: Rotation): string | undefined {
  const { name, previous, does, keeps } = rotation
  const time = plan.bindings.find((binding) => binding.name === `${name}_FROM`)
  const [before, after] = [overlapAt(rotation, time?.before), overlapAt(rotation, time?.after)]
  const kept = `${keeps} until ${after ? describeTime(after.until) : `${previous} is removed`}`
  if (isRotated(plan, rotation)) {
    const from = after ? ` and ${does} from ${describeTime(after.from)}` : ""
    return `${name} is rotated${from}: ${kept}`
  }
  if (changeOf(plan, previous) === "removed") {
    const until = before ? `; it was needed until ${describeTime(before.until)}` : ""
    return `the rotation of ${name} ends: the former value is worth nothing any more${until}`
  }
  if (after === undefined) return undefined
  return `the rotation of ${name} has another time: it ${does} from ${describeTime(after.from)}, ${kept}`
}

/** The former value is kept beside the new one. */
function isRotated(plan: Changed, { name, previous }: Rotation): boolean {
  const kept = changeOf(plan, previous)
  return changeOf(plan, name) === "changed" && (kept === "added" || kept === "changed")
}

/** Secrets that become another one, while the one before is kept nowhere. */
export function replacedSecrets(plan: Changed): Rotation[] {
  return secretRotations.filter(
    (rotation) => changeOf(plan, rotation.name) === "changed" && !isRotated(plan, rotation),
  )
}
