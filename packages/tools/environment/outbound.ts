import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { messageOf } from "../base/failure.ts"
import { root } from "../base/root.ts"
import { project } from "./project/own-project.ts"
import { readSubject } from "./subject.ts"

type StackFile = { stack: string; path: string; label: string; template: boolean }

/**
 * Asks the services that a stack file names, such as identity providers for their metadata.
 * @returns a sentence for each that does not answer as the file says. It never rejects: a service that is down for
 * a while must stop no release
 */
export async function outboundWarnings(file: StackFile): Promise<string[]> {
  if (project.outbound === undefined) return []
  try {
    const { environment } = readSubject(file)
    const { tryOutbound }: { tryOutbound: (environment: object) => Promise<string[]> } =
      await import(pathToFileURL(join(root, project.outbound)).href)
    return await tryOutbound(environment)
  } catch (error) {
    return [`The services that ${file.label} names were not asked: ${messageOf(error)}`]
  }
}
