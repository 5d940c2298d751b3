import { createHash } from "node:crypto"

import type { MigrationFile } from "@accounts-stack/d1-migrations/files"

import type { Environment } from "../environment.ts"
import type { Finding } from "../rules/judge.ts"
import type { EnvironmentFile } from "../subject.ts"

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

/** The beginning of a hash, by which reviewers see that something has changed. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12)
}

/** What decides beside a stack file what is deployed. */
export type Site = {
  files: EnvironmentFile[]
  migrations: Sources["migrations"]
}

export type Section = { name: string; comment: string; facts: Record<string, string> }
