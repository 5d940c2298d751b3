import { isForeign, plainBindings, rateLimitNamespace } from "../bindings.ts"
import { type Environment, physicalName, protection } from "../environment.ts"
import type { BindingDeclaration } from "../project/binding.ts"
import { project } from "../project/own-project.ts"
import {
  type RotationWindow,
  describeTime,
  rotationWindows,
  secretsToGenerate,
} from "../secrets.ts"
import type { ReleaseLimits } from "../stack-keys.ts"
import {
  databaseJurisdiction,
  databaseLocation,
  escImports,
  digest,
  type Section,
  type Sources,
} from "./facts.ts"

/** Location of a database that the stack file does not place. */
export const defaultLocation = "near the machine that creates it"

export function bindingsSection(sources: Sources): Section {
  const { stack, environment } = sources
  const name = physicalName(stack, environment)
  const infrastructure = Object.entries(project.bindings).flatMap(([binding, declaration]) => {
    const text = describeBinding(binding, declaration, name)
    return text === undefined ? [] : [[binding, text] as const]
  })
  const plain = Object.entries(plainBindings(environment)).map(
    ([binding, text]) => [binding, `plain_text ${text}`] as const,
  )
  const secret = Object.keys(secretsOf(sources)).map((binding) => [binding, "secret_text"] as const)
  return {
    name: "bindings",
    comment: "All that the Worker is given",
    facts: Object.fromEntries([...infrastructure, ...plain, ...secret]),
  }
}

function describeBinding(
  binding: string,
  declaration: BindingDeclaration,
  name: string,
): string | undefined {
  if (isForeign(declaration)) {
    const { type, required } = declaration
    return required === "never" ? `${type}, where infra/index.ts gives one` : type
  }
  switch (declaration.type) {
    case "d1":
      return `d1 ${name}`
    case "version_metadata":
      return "version_metadata"
    case "ratelimit": {
      const { limit, period } = declaration.simple
      return `ratelimit ${limit} per ${period} s, namespace ${rateLimitNamespace(name, binding)}`
    }
    case "plain_text":
    case "secret_text":
      return undefined
    default:
      return declaration satisfies never
  }
}

export function secretsSection(sources: Sources): Section {
  return {
    name: "secrets",
    comment:
      "Where each secret comes from; another seal is another value, or the same sealed again",
    facts: secretsOf(sources),
  }
}

/** Where each secret comes from, by the name of its binding or of the trial's header. */
function secretsOf({ environment, file, seals, others }: Sources): Record<string, string> {
  const { secrets, rotations, trialHeaders } = environment
  const sealed = (key: string) => {
    if (seals === undefined) return "brought by its stack file"
    const seal = seals[key]
    if (seal !== undefined) return `sealed in ${file}, seal ${digest(seal)}`
    // The environments of Pulumi ESC are not known offline.
    return escImports in others ? undefined : `in clear in ${file}`
  }
  const overlaps = rotationWindows(environment)
  return present([
    ...secretsToGenerate(environment).map((name): Fact => {
      return [name, `made by the stack, rotation ${rotations[name] ?? 0}`]
    }),
    ...Object.keys(secrets).map((name): Fact => {
      return [name, withOverlap(name, sealed(`accounts:secrets.${name}`), overlaps)]
    }),
    ...Object.keys(trialHeaders).map((name): Fact => {
      return [`header ${name} of a trial`, sealed(`accounts:trialHeaders.${name}`)]
    }),
  ])
}

type Fact = [string, string | false | 0 | undefined]

function present(facts: Fact[]): Record<string, string> {
  return Object.fromEntries(facts.flatMap(([name, text]) => (text ? [[name, text]] : [])))
}

/** Since when a secret of a rotation is used, or until when it is accepted. */
function withOverlap(name: string, origin: string | undefined, overlaps: RotationWindow[]) {
  const overlap = overlaps.find(
    (candidate) => candidate.name === name || candidate.previous === name,
  )
  if (origin === undefined || overlap === undefined) return origin
  const { does, from, until } = overlap
  if (name === overlap.name) return `${origin}, ${does} from ${describeTime(from)}`
  return `${origin}, ${does} until then, accepted until ${describeTime(until)}`
}

export function runtimeSection({ environment }: Sources): Section {
  const { location, jurisdiction, placement, crons, patience, hostPatience } = environment
  const { cpuMs, logSampling, readReplication, releaseSteps, releaseBake } = environment
  const limits = environment.releaseLimits
  return {
    name: "runtime",
    comment: "How it runs and how it is released",
    facts: {
      "compatibility date": project.runtime.compatibilityDate,
      "compatibility flags": project.runtime.compatibilityFlags.join(", "),
      "cpu limit": cpuMs === undefined ? "Cloudflare's default" : `${cpuMs} ms`,
      crons: crons.join("; ") || "none: expired rows are never deleted",
      [databaseJurisdiction]: jurisdiction ?? "none",
      [databaseLocation]: location ?? defaultLocation,
      "database read replication":
        readReplication === "auto"
          ? "auto: an ended session may read what is its own until the copies know"
          : readReplication,
      "logged requests": percentage(logSampling),
      placement: placement ?? "near the caller",
      ...(limits && { "release limits": describeLimits(limits) }),
      "release patience": `${patience} s, ${hostPatience} s for a new host`,
      "release steps": `0 % for the trial, then ${releaseSteps.join(", ")} %${
        releaseSteps.length > 1 ? `, ${releaseBake} s at each before the last` : ""
      }`,
      ...optionalFacts(environment),
    },
  }
}

function describeLimits({ requests, failures, cpu }: ReleaseLimits): string {
  const limitTexts = [
    failures !== undefined && `${failures} percentage points of failing requests`,
    cpu !== undefined && `${cpu} % of processor time`,
  ].filter((text) => text !== false)
  return `${limitTexts.join(" and ")} more than the version beside it, ${requests} requests of each or more`
}

function percentage(share: number) {
  return `${Number((share * 100).toFixed(4))} %`
}

/** Facts of optional settings, which are absent if the environment sets none of them. */
function optionalFacts(environment: Environment): Record<string, string> {
  const { logDestinations, traceSampling, traceDestinations, logpush, tailConsumers } = environment
  return present([
    ["logs go to", logDestinations.join(", ")],
    ["traced requests", traceSampling && percentage(traceSampling)],
    ["traces go to", traceDestinations.join(", ")],
    ["events go to", logpush && "the account's Logpush jobs"],
    ["events go to Workers", tailConsumers.join(", ")],
  ])
}

export function protectionSection({ environment }: Sources): Section {
  const facts = Object.entries(protection(environment)).map(
    ([attack, on]) => [attack, on ? "refused" : "possible"] as const,
  )
  return {
    name: "deletion",
    comment: "Whether one deployment can delete it",
    facts: Object.fromEntries(facts),
  }
}
