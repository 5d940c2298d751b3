import type { MigrationFile } from "@accounts/d1-migrations/files"

import type { Environment } from "../environment.ts"
import type { Finding } from "../rules/judge.ts"

/** What an environment is made of: its file, the code and the migrations. */
export type Sources = {
  stack: string
  /** Name of the stack file, without its folder. */
  file: string
  environment: Environment
  /** Ciphertexts by path; undefined where the file itself is not known. */
  seals: Record<string, string> | undefined
  /** Keys of other namespaces, and the environments of Pulumi ESC. */
  others: Record<string, unknown>
  accepted: Finding[]
  migrations: Pick<MigrationFile, "name" | "sha256">[]
}

export type Section = { name: string; comment: string; facts: Record<string, string> }
