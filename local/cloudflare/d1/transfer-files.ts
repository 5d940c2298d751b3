import { createHash, randomBytes } from "node:crypto"

/** Files of imports and exports, in memory for an hour. Keys are unguessable. */
export type TransferFiles = {
  /** @returns the key to upload the file with; once uploaded, it is found by its name */
  expect(name: string, md5: string): string
  /** @returns whether the content has the expected MD5; only then is it kept */
  receive(key: string, content: Buffer): boolean
  /** @returns the key to download the file with */
  offer(content: Buffer): string
  read(key: string): Buffer | undefined
  find(name: string): Buffer | undefined
}

type TransferFile = { name: string | undefined; md5: string; content: Buffer | undefined }

const lifetimeMilliseconds = 60 * 60 * 1000

export function createTransferFiles(): TransferFiles {
  const files = new Map<string, TransferFile>()

  function add(file: TransferFile): string {
    const key = randomBytes(32).toString("base64url")
    files.set(key, file)
    setTimeout(() => files.delete(key), lifetimeMilliseconds).unref()
    return key
  }

  return {
    expect: (name, md5) => add({ name, md5, content: undefined }),
    receive(key, content) {
      const file = files.get(key)
      if (file === undefined || md5Of(content) !== file.md5) return false
      file.content = content
      return true
    },
    offer: (content) => add({ name: undefined, md5: md5Of(content), content }),
    read: (key) => files.get(key)?.content,
    find: (name) =>
      [...files.values()].find((file) => file.name === name && file.content !== undefined)?.content,
  }
}

export function md5Of(content: Buffer): string {
  return createHash("md5").update(content).digest("hex")
}
