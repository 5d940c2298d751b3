import { admin } from "./descriptions/admin.ts"
import { auth } from "./descriptions/auth.ts"
import { compatibility } from "./descriptions/compatibility.ts"
import { consent } from "./descriptions/consent.ts"
import { journal } from "./descriptions/journal.ts"
import { payment } from "./descriptions/payment.ts"
import { provider } from "./descriptions/provider.ts"
import { service } from "./descriptions/service.ts"
import { shared } from "./descriptions/shared.ts"
import { token } from "./descriptions/token.ts"
import { user } from "./descriptions/user.ts"
import type { Descriptions } from "./operation.ts"

const files: Descriptions[] = [
  admin,
  auth,
  compatibility,
  consent,
  journal,
  payment,
  provider,
  service,
  shared,
  token,
  user,
]

export const descriptions = {
  procedures: merge(({ procedures }) => procedures),
  paths: merge(({ paths }) => paths),
  untyped: files.flatMap(({ untyped = [] }) => untyped),
  fields: merge(({ fields }) => fields),
}

function merge<Value>(part: (file: Descriptions) => Record<string, Value> | undefined) {
  return Object.fromEntries(files.flatMap((file) => Object.entries(part(file) ?? {})))
}

/** Returns the description of an operation; without one, `npm run openapi` fails. */
export function descriptionOf<Value>(operations: Record<string, Value>, name: string): Value {
  const description = operations[name]
  if (description === undefined) {
    throw new Error(`infra/openapi/descriptions/ has no summary of ${name}: add it there`)
  }
  return description
}

/** Finds the text of the field at a place. */
export function fieldText(place: string): string | undefined {
  const parts = place.split(".")
  const ends = parts.map((_, at) => parts.slice(at).join("."))
  const end = ends.find((candidate) => candidate in descriptions.fields)
  return end === undefined ? undefined : descriptions.fields[end]
}
