import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"

const execute = promisify(execFile)
const root = join(import.meta.dirname, "../../../..")
const tsc = join(root, "node_modules/typescript/bin/tsc")

/** The compiler options of another repository: strict, and the package's own types are checked too. */
const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  module: "nodenext",
  target: "es2024",
  lib: ["es2024", "esnext.array", "esnext.disposable", "dom", "dom.iterable"],
}

type Package = {
  /** Of this repository. */
  folder: "client" | "d1-migrations"
  /** Further packages of the registry; without any, none is asked for. */
  beside?: string[]
  types?: string[]
}

/** Packs a package, and installs it into an empty folder with its consumer, as another repository would. */
export async function installPackage({ folder, beside, types = [] }: Package) {
  const directory = mkdtempSync(join(tmpdir(), `accounts-${folder}-`))
  const run = (command: string, ...args: string[]) => execute(command, args, { cwd: directory })
  writeFileSync(join(directory, "package.json"), '{ "type": "module", "private": true }\n')
  const tarball = await pack(folder, directory)
  const asking = beside === undefined ? ["--offline"] : ["--prefer-offline", ...beside]
  await run("npm", "install", "--no-audit", "--no-fund", ...asking, `./${tarball}`)
  cpSync(join(root, "packages", folder, "testing/consumer"), directory, { recursive: true })
  const settings = { compilerOptions: { ...compilerOptions, types }, include: ["*.ts"] }
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings))
  return {
    directory,
    /** Compiler errors; empty if all is well. */
    compile: () =>
      run(process.execPath, tsc).then(
        () => "",
        (error: unknown) => (error instanceof Error ? Reflect.get(error, "stdout") : error),
      ),
    run,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Packs a copy, because other tests run the sources at the same time, and a build is written beside them. */
async function pack(folder: string, destination: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "accounts-pack-"))
  try {
    const copy = join(directory, "packages", folder)
    const filter = (path: string) => !["node_modules", "dist"].includes(basename(path))
    cpSync(join(root, "packages", folder), copy, { recursive: true, filter })
    for (const file of ["tsconfig.base.json", "LICENSE"]) {
      cpSync(join(root, file), join(directory, file))
    }
    symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
    const packing = ["pack", "--json", "--pack-destination", destination]
    const { stdout } = await execute("npm", packing, { cwd: copy })
    return /[\w.-]+\.tgz/.exec(stdout)?.[0] ?? ""
  } finally {
    rmSync(directory, { recursive: true })
  }
}
