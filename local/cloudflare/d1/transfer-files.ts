import { createHash, randomBytes } from "node:crypto"

/** Files of imports and exports, in memory for an hour. Keys are unguessable. */
export type TransferFiles = {
  /** @returns the key to upload the file with */
  expect(md5: string): string
  /** @returns whether the content has the expected MD5; only then is it kept */
  receive(key: string, content: Buffer): boolean
  /** @returns the key to download the file with */
  offer(content: Buffer): string
  read(key: string): Buffer | undefined
}

const lifetimeMilliseconds = 60 * 60 * 1000

export function createTransferFiles(): TransferFiles {
  const files = new Map<string, { md5: string; content: Buffer | undefined }>()

  function add(md5: string, content: Buffer | undefined): string {
    const key = randomBytes(32).toString("base64url")
    files.set(key, { md5, content })
    setTimeout(() => files.delete(key), lifetimeMilliseconds).unref()
    return key
  }

  return {
    expect: (md5) => add(md5, undefined),
    receive(key, content) {
      const file = files.get(key)
      if (file === undefined || md5Of(content) !== file.md5) return false
      file.content = content
      return true
    },
    offer: (content) => add(md5Of(content), content),
    read: (key) => files.get(key)?.content,
  }
}

export function md5Of(content: Buffer): string {
  return createHash("md5").update(content).digest("hex")
}
