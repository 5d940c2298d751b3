import { createWriteStream, openAsBlob } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { Decrypter, Encrypter } from "age-encryption"

import { Failure, messageOf } from "../../../base/failure.ts"

/** Encrypts for the public keys of ACCOUNTS_BACKUPS_RECIPIENTS: https://age-encryption.org/v1 */
export function openSealer() {
  const encrypter = new Encrypter()
  addAll("ACCOUNTS_BACKUPS_RECIPIENTS", (one) => encrypter.addRecipient(one))
  return async (from: string, to: string) => {
    const sealed = await encrypter.encrypt((await openAsBlob(from)).stream())
    await pipeline(Readable.fromWeb(sealed), privateFile(to))
    return to
  }
}

/** Decrypts with the private keys of ACCOUNTS_BACKUPS_IDENTITY; what it wrote counts once it has ended. */
export function openUnsealer() {
  const decrypter = new Decrypter()
  addAll("ACCOUNTS_BACKUPS_IDENTITY", (one) => decrypter.addIdentity(one))
  return async (from: ReadableStream<Uint8Array>, to: string) =>
    await pipeline(Readable.fromWeb(await decrypter.decrypt(from)), privateFile(to))
}

function privateFile(path: string) {
  return createWriteStream(path, { flags: "wx", mode: 0o600 })
}

/** Keys of a variable, by lines or spaces, as in a file of `age-keygen`. A wrong one is not printed. */
function addAll(name: string, add: (key: string) => void): void {
  const { [name]: text = "" } = process.env
  const keys = text.replaceAll(/^#.*$/gm, "").split(/\s+/).filter(Boolean)
  if (keys.length === 0) throw new Failure("USAGE", `Set ${name}: age-keygen makes both keys.`)
  for (const key of keys) {
    try {
      add(key)
    } catch (error) {
      const secret = messageOf(error).includes(key)
      const reason = secret ? "no key of age" : messageOf(error)
      throw new Failure("USAGE", `${name} cannot be used: ${reason}.`)
    }
  }
}
