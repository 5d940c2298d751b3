import { execFileSync } from "node:child_process"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { migrationsDirectory, root } from "../../base/root.ts"
import { build } from "../../deploy/build/build.ts"
import { parseJson } from "../../deploy/parse-json.ts"
import { readMigrations } from "../../environment/own-names.ts"
import { project } from "../../environment/project/own-project.ts"
import { readText } from "../../environment/read-text.ts"

/** What a commit releases in every environment, by what it is called. */
const Candidate = z.strictObject({ commit: z.string(), content: z.record(z.string(), z.string()) })
export type Candidate = z.infer<typeof Candidate>

/** All but what each environment has of its own: hosts, values of bindings, seals, its account. */
export async function readCandidate(): Promise<Candidate> {
  const migrations = await readMigrations(migrationsDirectory)
  const { whole } = await build({ migrationsHead: migrations.at(-1)?.name ?? "" })
  const { compatibilityDate, compatibilityFlags } = project.runtime
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" })
  return {
    commit: commit.trim(),
    content: {
      bundle: whole,
      "compatibility date": compatibilityDate,
      "compatibility flags": compatibilityFlags.join(", "),
      ...Object.fromEntries(migrations.map(({ name, sha256 }) => [`migration ${name}`, sha256])),
      ...Object.fromEntries(
        Object.entries(project.bindings).map(([name, { type, required }]) => [
          `binding ${name}`,
          `${type}, required ${required}`,
        ]),
      ),
    },
  }
}

/** @param file what another run has printed @throws Failure naming all that differs, or the file that is something else */
export function expectSame(file: string, { content }: Candidate): void {
  const { data: released } = Candidate.safeParse(parseJson(readText(file) ?? ""))
  if (released === undefined) {
    const message = `${file} is not what ./accounts release candidate has printed.`
    throw new Failure("COMMAND_FAILED", message)
  }
  const names = new Set([...Object.keys(released.content), ...Object.keys(content)])
  const lines = [...names]
    .filter((name) => released.content[name] !== content[name])
    .map((name) => `  ${name}: ${released.content[name] ?? "none"} → ${content[name] ?? "none"}`)
  if (lines.length === 0) return
  const message = `This is not what commit ${released.commit} released, by ${file}:\n${lines.join("\n")}`
  throw new Failure("COMMAND_FAILED", message)
}
