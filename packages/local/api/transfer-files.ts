import { createHash, randomBytes } from "node:crypto"

export type TransferFiles = ReturnType<typeof createTransferFiles>

type TransferFile = { name: string | undefined; md5: string; content: Buffer | undefined }

const lifetimeMilliseconds = 60 * 60 * 1000

/** Files of imports and exports, in memory for an hour. Keys are unguessable. */
export function createTransferFiles() {
  const files = new Map<string, TransferFile>()

  function add(file: TransferFile): string {
    const key = randomBytes(32).toString("base64url")
    files.set(key, file)
    setTimeout(() => files.delete(key), lifetimeMilliseconds).unref()
    return key
  }

  return {
    /** @returns the key to upload the file with; once uploaded, it is found by its name */
    expect: (name: string, md5: string) => add({ name, md5, content: undefined }),
    /** @returns whether the content has the expected MD5; only then is it kept */
    receive(key: string, content: Buffer) {
      const file = files.get(key)
      if (file === undefined || md5Of(content) !== file.md5) return false
      file.content = content
      return true
    },
    /** @returns the key to download the file with */
    offer: (content: Buffer) => add({ name: undefined, md5: md5Of(content), content }),
    read: (key: string) => files.get(key)?.content,
    find: (name: string) =>
      [...files.values()].find((file) => file.name === name && file.content !== undefined)?.content,
  }
}

export function md5Of(content: Buffer): string {
  return createHash("md5").update(content).digest("hex")
}
