import { generateKeyPairSync, randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"

import * as z from "zod"

import { writeAtomically } from "../../daemon/atomic-write.ts"

const Kept = z.object({ keys: z.array(z.record(z.string(), z.unknown())), cookie: z.string() })

/** The keys of the provider, kept in `file`: the service caches the public ones for an hour. */
export function openSigningKeys(file: string): z.infer<typeof Kept> {
  if (existsSync(file)) return Kept.parse(JSON.parse(readFileSync(file, "utf8")))
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig" }
  const kept = { keys: [key], cookie: randomUUID() }
  writeAtomically(file, JSON.stringify(kept))
  return kept
}
