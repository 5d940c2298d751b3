import { readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"

import { Failure, messageOf } from "../failure.ts"
import { compareNames, type Folder, listMigrations, numberOf } from "./list-migrations.ts"

/**
 * The migrations of the same folder that run before a file, oldest first. Undefined when the name has
 * no number, or is the first that is there and not the first by its number.
 * @param projectFolder the project's folder, which may have a form of its own
 */
export function earlierFiles(path: string, projectFolder?: Folder): string[] | undefined {
  const folder =
    projectFolder !== undefined && isIn(projectFolder, path) ? projectFolder : folderOf(path)
  const ownName = nameIn(folder, path)
  const before = listMigrations(folder).filter((name) => compareNames(name, ownName) < 0)
  const isFound = before.length > 0 || isFirst(numberOf(ownName))
  return isFound && numberOf(ownName) < Infinity
    ? before.map((name) => join(folder.directory, name))
    : undefined
}

function isIn(folder: Folder, path: string): boolean {
  return listMigrations(folder).includes(nameIn(folder, path))
}

function folderOf(path: string): Folder {
  return basename(path) === "migration.sql"
    ? { directory: dirname(dirname(path)), pattern: "*/migration.sql" }
    : { directory: dirname(path), pattern: "*.sql" }
}

function nameIn({ directory }: Folder, path: string): string {
  return relative(resolve(directory), resolve(path)).replaceAll(sep, "/")
}

/** Counted from 0 or 1, or a time. */
function isFirst(number: number): boolean {
  return number <= 1 || (number >= 1_000_000 && number < Infinity)
}

/** @throws USAGE naming a file that cannot be read */
export function readScript(path: string): string {
  try {
    return readFileSync(path, "utf8").replaceAll(/\r\n?/g, "\n")
  } catch (error) {
    throw new Failure("USAGE", `${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
