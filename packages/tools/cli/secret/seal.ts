import { readFileSync } from "node:fs"

import { type Document, parseDocument } from "yaml"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { Encrypted } from "../../environment/stack-source.ts"
import type { Engine } from "../stack/engine.ts"
import { onCopy, type SecretStack } from "./secret-stack.ts"

/** What a stack's values are sealed with; the engine writes it when it seals the first one. */
const sealingKeys = ["secretsprovider", "encryptedkey", "encryptionsalt"]

/**
 * Lets the engine seal a value, which it reads from its standard input, and puts the ciphertext into
 * the document. The Automation API would pass the value as an argument.
 */
export async function sealInto(
  document: Document,
  site: { engine: Engine; stack: SecretStack },
  { name, value }: { name: string; value: string },
): Promise<void> {
  const args = ["config", "set", "--secret", "--path", `accounts:secrets.${name}`]
  using sealed = await onCopy(site.engine, site.stack, { args, input: value })
  const copy = parseDocument(readFileSync(sealed.copy, "utf8"))
  for (const key of sealingKeys) {
    const text: unknown = copy.get(key)
    if (typeof text === "string" && document.get(key) !== text) document.set(key, text)
  }
  setSealed(document, name, sealOf(copy, name))
}

/** The ciphertext of a secret in a stack file; undefined if it has none. */
export function findSeal(document: Document, name: string): string | undefined {
  const { data } = SealedConfig.safeParse(document.toJS())
  const value = data?.config["accounts:secrets"]?.[name]
  return Encrypted.safeParse(value).data?.secure
}

export function setSealed(document: Document, name: string, secure: string): void {
  document.setIn(["config", "accounts:secrets", name], document.createNode({ secure }))
}

const SealedConfig = z.looseObject({
  config: z.looseObject({ "accounts:secrets": z.record(z.string(), z.unknown()).optional() }),
})

function sealOf(copy: Document, name: string): string {
  const seal = findSeal(copy, name)
  if (seal === undefined) throw new Failure("COMMAND_FAILED", `The engine did not seal ${name}.`)
  return seal
}
