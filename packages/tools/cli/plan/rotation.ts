import { describeTime, overlapOf } from "../../components/secret-overlap.ts"
import type { Plan } from "./plan.ts"

type Changed = Pick<Plan, "bindings" | "secrets">

function changeOf({ secrets }: Changed, name: string) {
  return secrets.find((one) => one.name === name)?.change
}

/** Of the time at which AUTH_SECRET signs, before and after. */
function overlapsIn({ bindings }: Changed) {
  const from = bindings.find(({ name }) => name === "AUTH_SECRET_FROM")
  const read = (authSecretFrom: string | undefined) => {
    const overlap = authSecretFrom === undefined ? undefined : overlapOf({ authSecretFrom })
    return overlap && !Number.isNaN(overlap.from.getTime()) ? overlap : undefined
  }
  return { before: read(from?.before), after: read(from?.after) }
}

/** What becomes of the sessions that the former AUTH_SECRET signed, in one sentence. */
export function rotationOf(plan: Changed): string | undefined {
  const { before, after } = overlapsIn(plan)
  const kept = changeOf(plan, "AUTH_SECRET_PREVIOUS")
  const until = (overlap: typeof after) =>
    overlap ? describeTime(overlap.until) : "AUTH_SECRET_PREVIOUS is removed"
  if (isRotated(plan)) {
    const from = after ? ` and signs from ${describeTime(after.from)}` : ""
    return `AUTH_SECRET is rotated${from}: sessions signed by the former value stay valid until ${until(after)}`
  }
  if (kept === "removed") {
    return `the rotation of AUTH_SECRET ends: what the former value signed is valid no more; its sessions lasted until ${until(before)}`
  }
  if (after === undefined) return undefined
  return `the rotation of AUTH_SECRET has another time: it signs from ${describeTime(after.from)}, sessions signed by the former value stay valid until ${until(after)}`
}

/** The former value is kept beside the new one. */
function isRotated(plan: Changed): boolean {
  const kept = changeOf(plan, "AUTH_SECRET_PREVIOUS")
  return changeOf(plan, "AUTH_SECRET") === "changed" && (kept === "added" || kept === "changed")
}

/** Another AUTH_SECRET in place of the one that signs, which is kept nowhere. */
export function replacesSigningSecret(plan: Changed): boolean {
  return changeOf(plan, "AUTH_SECRET") === "changed" && !isRotated(plan)
}
