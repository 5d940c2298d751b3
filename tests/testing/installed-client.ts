import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const execute = promisify(execFile)
const root = join(import.meta.dirname, "../..")
const tsc = join(root, "node_modules/typescript/bin/tsc")

/** A front end's compiler options: strict, and the package's own types are checked too. */
const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  module: "nodenext",
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
}

/** Packs the client and installs it into an empty folder, as another repository would. */
export async function installClient() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-client-"))
  const run = (command: string, ...args: string[]) => execute(command, args, { cwd: directory })
  const client = join(root, "client")
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", directory], {
    cwd: client,
  })
  writeFileSync(join(directory, "package.json"), '{ "type": "module", "private": true }\n')
  // The package needs nothing but itself: no registry is asked.
  const tarball = /[\w.-]+\.tgz/.exec(stdout)?.[0] ?? ""
  await run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`)
  cpSync(join(client, "testing/consumer"), directory, { recursive: true })
  const include = ["*.ts"]
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, include }))
  return {
    directory,
    /** What the compiler has to say; nothing if all is well. */
    compile: () =>
      run(process.execPath, tsc).then(
        () => "",
        (error: unknown) => (error instanceof Error ? Reflect.get(error, "stdout") : error),
      ),
    run,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}
