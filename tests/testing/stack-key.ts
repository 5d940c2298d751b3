import { createCipheriv, randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { stringify } from "yaml"

import { root } from "../../root.ts"
import { openKeyService } from "./key-service.ts"

/** A value of a stack file that only the stack's key opens. */
export type Sealed = { secure: string }

const dataKey = Buffer.alloc(32, "the key of the tests' stacks")
const encrypted = `vault:v1:${dataKey.toString("base64")}`

/** For the top of a stack file. */
export const keySettings = {
  secretsprovider: "hashivault://accounts",
  encryptedkey: Buffer.from(encrypted).toString("base64"),
}

/**
 * A key of stacks that a service holds, for as long as it is not disposed. Each start of the engine
 * derives the key of a passphrase anew, in a second of processor time: three times what the rest of it takes.
 */
export async function openStackKey() {
  const service = await openKeyService()
  Object.assign(process.env, service.env)
  return {
    settings: keySettings,
    seal,
    /** The stack file of `local` with these settings, as a template in a directory. */
    localTemplate: (directory: string) => {
      const template = join(directory, "local-template.yaml")
      const committed = readFileSync(join(root, "environments", "Pulumi.local.yaml"), "utf8")
      writeFileSync(template, stringify(keySettings) + committed)
      return template
    },
    [Symbol.dispose]() {
      for (const name of Object.keys(service.env)) delete process.env[name]
      service[Symbol.dispose]()
    },
  }
}

export type StackKey = Awaited<ReturnType<typeof openStackKey>>

/** As the engine seals a value: pulumi/sdk, go/common/resource/config/crypt.go, 3.259.0. */
function seal(value: string): Sealed {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", dataKey, nonce)
  const text = [cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]
  return { secure: `v1:${nonce.toString("base64")}:${Buffer.concat(text).toString("base64")}` }
}
