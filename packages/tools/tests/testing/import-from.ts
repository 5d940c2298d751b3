import { join } from "node:path"

/** Imports a module of the tools of a copied checkout into this process, where the copy is its own root. */
export async function importFrom({ directory }: { directory: string }, path: string) {
  const { ACCOUNTS_ROOT: before } = process.env
  process.env["ACCOUNTS_ROOT"] = directory
  try {
    await import(join(directory, "packages/tools/base/root.ts"))
  } finally {
    if (before === undefined) delete process.env["ACCOUNTS_ROOT"]
    else process.env["ACCOUNTS_ROOT"] = before
  }
  return await import(join(directory, "packages/tools", path))
}
