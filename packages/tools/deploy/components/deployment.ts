import { relative } from "node:path"

import * as pulumi from "@pulumi/pulumi"

import { messageOf } from "../../base/failure.ts"
import { conflictingBaseUrls } from "../../base/process-environment.ts"
import { infraDirectory, migrationsDirectory } from "../../base/root.ts"
import { hasSecondModule } from "../../environment/bindings.ts"
import { deployedFacts, expectCommitted } from "../../environment/effective/rendered.ts"
import { physicalName } from "../../environment/environment.ts"
import { readMigrations } from "../../environment/own-names.ts"
import { readDeployed } from "../../environment/read.ts"
import { describeFinding } from "../../environment/rules/rules.ts"
import { committedEnvironments } from "../../environment/subject.ts"
import { build, type Build } from "../build/build.ts"
import { workingTreeWarnings } from "../build/working-tree.ts"
import { writeSchemaUse } from "../version/schema-use.ts"
import { AccountsProvider, soleName } from "./accounts-provider.ts"
import { checkHost } from "./hostname.ts"

/** Options that a command passes to the program; Pulumi itself passes none. */
export type ProgramOptions = {
  /** Called with the secrets that the stack generates, by binding; perhaps not in a preview. */
  onGenerated?: ((secrets: Record<string, string>) => void) | undefined
  /** Tags of the Worker besides the environment tag. */
  tags?: string[] | undefined
  /** Result of `startBuild`; if undefined, the program builds. */
  begun?: Promise<StartedProgram> | undefined
}

/** A build of `app/`, and the migration that it expects. */
export type StartedProgram = { head: string; build: Build }

/** Builds `app/` while the engine starts, which takes as long. */
export async function startBuild(): Promise<StartedProgram> {
  const head = headOf(await readMigrations(migrationsDirectory))
  return { head, build: await build({ migrationsHead: head }) }
}

/**
 * Reads the configuration to deploy, and creates the provider. A host that cannot be attached is refused
 * first.
 */
export async function readDeployment({ begun }: Pick<ProgramOptions, "begun"> = {}) {
  const stack = pulumi.getStack()
  const { environment, baseUrl, ...sources } = await readSources(stack, begun)
  const name = physicalName(stack, environment)
  const provider = new AccountsProvider(soleName, { baseUrl })
  const directory = relative(infraDirectory, migrationsDirectory)
  return {
    ...sources,
    environment,
    name,
    provider,
    directory,
    ...checkHost(environment, { name, provider }),
  }
}

function headOf(migrations: { name: string }[]): string {
  return migrations.at(-1)?.name ?? ""
}

/** Reports problems as RunErrors, without a stack trace: the user can fix them. */
async function readSources(stack: string, givenBuild: Promise<StartedProgram> | undefined) {
  try {
    const configuration = pulumi.runtime.allConfig()
    // The language host passes the configuration here, secrets in plain text; Git and esbuild would inherit it.
    delete process.env["PULUMI_CONFIG"]
    const read = readDeployed(stack, configuration)
    for (const warning of workingTreeWarnings(read.environment)) await pulumi.log.warn(warning)
    for (const finding of read.accepted) await pulumi.log.warn(describeFinding(finding))
    if (read.sealedElsewhere.length > 0) {
      const files = read.sealedElsewhere.join(", ")
      await pulumi.log.info(
        `Secrets are not compared with those of ${files}: ./accounts environment check --secrets opens both`,
      )
    }
    const conflicts = conflictingBaseUrls(read.baseUrl)
    if (conflicts.length > 0) throw new Error(conflicts.join("\n"))
    const migrations = await readMigrations(migrationsDirectory)
    const sources = { files: committedEnvironments(), migrations }
    expectCommitted(read, sources)
    const facts = deployedFacts(read, sources)
    const head = headOf(migrations)
    const early = await givenBuild
    const { bundle, whole, tables } =
      early?.head === head ? early.build : await build({ migrationsHead: head })
    const used = hasSecondModule(read.environment) ? whole : bundle
    return { ...read, migrations, bundle: used, schemaUse: writeSchemaUse({ head, tables }), facts }
  } catch (error) {
    throw new pulumi.RunError(messageOf(error), { cause: error })
  }
}
