import { relative } from "node:path"

/** Of `lint` and `fix`: the migrations of this repository, whatever is given. */
export const ownProgram = {
  command: "./accounts database",
  async projects() {
    const { migrationsDirectory } = await import("../../../base/root.ts")
    const { ownNames } = await import("../../../environment/own-names.ts")
    return [{ folder: { directory: relative("", migrationsDirectory) }, names: ownNames }]
  },
}
