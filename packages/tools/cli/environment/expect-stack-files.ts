import { Failure } from "../../base/failure.ts"
import { listEnvironments } from "../../environment/subject.ts"

/** @throws Failure for a folder of which nothing can be said */
export function expectStackFiles(directory: string): void {
  if (listEnvironments(directory, directory).length > 0) return
  throw new Failure(
    "USAGE",
    `${directory} has no Pulumi.<stack>.yaml: name the folder with --directory.`,
  )
}
