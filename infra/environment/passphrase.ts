import { createDecipheriv, pbkdf2 } from "node:crypto"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"

/** Opens a ciphertext; undefined where it is none of this key's. */
export type Open = (seal: string) => string | undefined

/** The passphrase as Pulumi finds it (pkg/secrets/passphrase/manager.go), but for its prompt. */
export function givenPassphrase(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { PULUMI_CONFIG_PASSPHRASE: phrase, PULUMI_CONFIG_PASSPHRASE_FILE: file } = env
  if (phrase !== undefined) return phrase
  if (!file) return undefined
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    // Pulumi itself says what is wrong with it.
    return undefined
  }
}

const derive = promisify(pbkdf2)
/** Of sdk/go/common/resource/config/crypt.go. */
const iterations = 1_000_000
const keyBytes = 32

/**
 * What opens the secrets of a stack file that Pulumi sealed with a passphrase, without starting an
 * engine; undefined unless it is that passphrase.
 */
export async function openerOf(salt: string, passphrase: string): Promise<Open | undefined> {
  const [, bytes, proof] = /^v1:([^:]+):(v1:[^:]+:[^:]+)$/.exec(salt) ?? []
  if (bytes === undefined || proof === undefined) return undefined
  const key = await derive(passphrase, Buffer.from(bytes, "base64"), iterations, keyBytes, "sha256")
  const open: Open = (seal) => decrypt(seal, key)
  return open(proof) === "pulumi" ? open : undefined
}

const tagBytes = 16

/** AES-256-GCM: `v1`, the nonce and, with the tag at its end, the ciphertext. */
function decrypt(seal: string, key: Buffer): string | undefined {
  const [, nonce, ciphertext] = /^v1:([^:]+):([^:]+)$/.exec(seal) ?? []
  if (nonce === undefined || ciphertext === undefined) return undefined
  const bytes = Buffer.from(ciphertext, "base64")
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const text = Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()])
    return text.toString("utf8")
  } catch {
    return undefined
  }
}
