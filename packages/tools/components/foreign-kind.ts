import type { BindingDeclaration, ForeignKind } from "../project/binding.ts"

type ForeignDeclaration = Extract<BindingDeclaration, { type: ForeignKind }>

/** What comes from an environment or from this program; of all else infra/index.ts says what it binds. */
const ownKinds = new Set(["d1", "version_metadata", "plain_text", "secret_text", "ratelimit"])

export function isForeign(declaration: BindingDeclaration): declaration is ForeignDeclaration {
  return !ownKinds.has(declaration.type)
}
