import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { delimiter, resolve } from "node:path"

/** Path of an executable file, or undefined if no directory on PATH has it. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv) {
  for (const directory of (env["PATH"] ?? "").split(delimiter)) {
    const file = resolve(directory, name)
    if (directory && (await isExecutable(file))) return file
  }
  return undefined
}

export async function isExecutable(file: string) {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
