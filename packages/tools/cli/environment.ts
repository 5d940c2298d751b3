import { resolve } from "node:path"

import { Command } from "commander"

import { counted } from "../base/counted.ts"
import { Failure, messageOf } from "../base/failure.ts"
import type { Finding } from "../environment/rules/rules.ts"
import { withJson } from "./command-options.ts"
import { paint, print, say } from "./output.ts"

type Chosen = { directory: string; json: boolean }

function environmentCommand(name: string): Command {
  return withJson(
    new Command(name).option("--directory <dir>", "folder of the stack files", "environments"),
  ).hook("preAction", async (_, running) => {
    const { listEnvironments } = await import("../environment/subject.ts")
    const { directory } = running.opts<Chosen>()
    if (listEnvironments(directory, directory).length > 0) return
    const message = `${directory} has no Pulumi.<stack>.yaml: name the folder with --directory.`
    throw new Failure("USAGE", message)
  })
}

const check = environmentCommand("check")
  .description(
    "check every stack file by the rules of docs/environment-rules.md, and what is rendered",
  )
  .option("--secrets", "also open the secrets that your login or passphrase opens, and judge them")
  .option("--engine <path>", "Pulumi engine to open them, instead of searching for one")
  .option("--online", "also ask the services that the files name, such as identity providers")
  .action(async (options: Chosen & { secrets: boolean; online: boolean; engine?: string }) => {
    const { checkEnvironments, checkOwners } = await import("../environment/check.ts")
    const { findStale } = await import("../environment/effective/rendered.ts")
    const { describeFinding } = await import("../environment/rules/rules.ts")
    const { directory, json } = options
    const secrets = options.secrets ? await examineSecrets(directory, options.engine) : undefined
    const environments = checkEnvironments(directory, secrets)
    const stale = await findStale(directory)
    const owners = checkOwners(resolve(directory, ".."), environments)
    const { unchecked, rotations } = secrets ?? {}
    const outbound = options.online ? await askOutbound(directory) : undefined
    if (json) print(JSON.stringify({ environments, stale, owners, unchecked, rotations, outbound }))
    else {
      const indent = (text: string) => text.replaceAll(/^/gm, "  ")
      const lines = [
        ...environments.flatMap(({ refused, accepted, open, ...report }) => [
          `${report.file}: ${summary({ ...report, refused, accepted })}`,
          ...[...refused, ...accepted].map((finding) => `  ${describeFinding(finding)}`),
          ...open.map(({ line, key }) => `  ${report.file}:${line} ${key} has to be filled in`),
        ]),
        ...owners.refused.map((finding) => describeFinding(finding)),
        ...owners.open.map(({ file, line }) => `${file}:${line} has to be filled in`),
        ...stale.flatMap(({ path, diff }) => [`${path}: stale`, indent(diff)]),
        ...(rotations ?? []).map(({ stack, text }) => `${stack}: ${text}`),
        ...(unchecked ?? []).map(
          ({ stack, why }) => `${stack}: ${paint.yellow("secrets not opened")}: ${why}`,
        ),
        ...(outbound ?? []).map(
          ({ stack, warning }) => `${stack}: ${paint.yellow("!")} ${warning}`,
        ),
      ]
      print(lines.join("\n"))
    }
    const endedRotations = rotations?.filter((rotation) => rotation.ended).length ?? 0
    const refused =
      [...environments, owners].flatMap((reportWithFindings) => reportWithFindings.refused).length +
      endedRotations
    const problems = [
      ...(refused === 0 ? [] : [counted(refused, "finding")]),
      ...(stale.length === 0 ? [] : [`${stale.length} stale: ./accounts environment render`]),
    ]
    if (problems.length === 0) return
    throw new Failure("COMMAND_FAILED", `${directory}: ${problems.join(", ")}.`)
  })

function summary(report: { draft: boolean; refused: Finding[]; accepted: Finding[] }): string {
  const { draft, refused, accepted } = report
  const state = refused.length > 0 ? `${refused.length} refused` : "in order"
  return [
    draft ? `a draft, which up refuses; otherwise ${state}` : state,
    ...(accepted.length > 0 ? [`${accepted.length} accepted`] : []),
  ].join(", ")
}

/**
 * Queries the services that the stack files name. Problems are warnings only, because a service may be down briefly.
 */
async function askOutbound(directory: string) {
  const { outboundWarnings } = await import("../environment/check.ts")
  const { listEnvironments } = await import("../environment/subject.ts")
  const files = listEnvironments(directory, directory).filter(({ template }) => !template)
  const answers = files.map(async (file) => {
    const warnings = await outboundWarnings(file)
    return warnings.map((warning) => ({ stack: file.stack, warning }))
  })
  return (await Promise.all(answers)).flat()
}

/** Decrypts the secrets that the caller's login or passphrase can decrypt, and describes the state of rotations. */
async function examineSecrets(directory: string, enginePath: string | undefined) {
  const { openSecrets } = await import("./secret-engine.ts")
  const { userEngine } = await import("./stack/engine.ts")
  const { listEnvironments, readSubject } = await import("../environment/subject.ts")
  const { describeTime, rotationWindows } = await import("../environment/secrets.ts")
  const engine = await userEngine(enginePath).catch((error: unknown) => say(messageOf(error)))
  const opened = new Map<string, Record<string, string>>()
  const unchecked: { stack: string; why: string }[] = []
  const now = new Date()
  const files = listEnvironments(directory, directory).filter(({ template }) => !template)
  const rotations = files.flatMap((file) =>
    rotationWindows(readSubject(file).environment).map(
      ({ name, does, previous, key, from, until }) => {
        const { stack } = file
        const hasEnded = now >= until
        const way = `pulumi config rm -s ${stack} --path accounts:secrets.${previous} && pulumi config rm -s ${stack} accounts:${key}`
        const begins = `${name} ${does} ${now < from ? `from ${describeTime(from)}: deploy it before` : `since ${describeTime(from)}`}`
        const text = hasEnded
          ? `${previous} is of no use since ${describeTime(until)}\n      Fix: ${way}`
          : `${begins}. ${previous} is needed until ${describeTime(until)}.`
        return { stack, ended: hasEnded, text }
      },
    ),
  )
  for (const file of files) {
    const secrets = await openSecrets(file, engine ?? undefined)
    if ("secrets" in secrets) opened.set(file.label, secrets.secrets)
    else unchecked.push({ stack: file.stack, why: secrets.why })
  }
  return { opened, unchecked, rotations }
}

const render = environmentCommand("render")
  .description("write <stack>.effective.yaml: what each environment is, for reviewers")
  .action(async ({ directory, json }: Chosen) => {
    const { writeFileSync } = await import("node:fs")
    const { renderEnvironments } = await import("../environment/effective/rendered.ts")
    const written: string[] = []
    for (const { path, text, committed } of await renderEnvironments(directory)) {
      if (text === undefined) {
        say(`${path} is not rendered: its stack file cannot be read (./accounts environment check)`)
        continue
      }
      if (text === committed) continue
      writeFileSync(path, text)
      written.push(path)
    }
    if (json) return print(JSON.stringify({ written }))
    say(written.length === 0 ? "Nothing has changed." : `Written: ${written.join(", ")}`)
  })

export const environmentGroup = new Command("environment")
  .description(
    "what the environments are, for reviewers: offline, without keys, unless told otherwise",
  )
  .addCommand(check)
  .addCommand(render)
