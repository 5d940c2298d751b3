import { createCipheriv, randomBytes } from "node:crypto"
import { join } from "node:path"

import { root } from "../../../base/root.ts"
import { parseStackFile } from "../../../environment/read.ts"

/** A value of a stack file that only the stack's key opens. */
export type Sealed = { secure: string }

const committed = "environments/Pulumi.local.yaml"
const { secretsprovider = "", encryptedkey = "" } = parseStackFile(join(root, committed), committed)

/** The key of `local`, for the top of another stack file: the local Cloudflare opens it. */
export const keySettings = { secretsprovider, encryptedkey }

const wrapped = Buffer.from(encryptedkey, "base64").toString().replace("vault:v1:", "")
const dataKey = Buffer.from(wrapped, "base64")

/** Seals a value like the engine with that key: pulumi/sdk, go/common/resource/config/crypt.go, 3.259.0. */
export function seal(value: string): Sealed {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", dataKey, nonce)
  const text = [cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]
  return { secure: `v1:${nonce.toString("base64")}:${Buffer.concat(text).toString("base64")}` }
}
