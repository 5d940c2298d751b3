import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { Cron } from "croner"
import { parse } from "yaml"
import * as z from "zod"

import { root } from "../../base/root.ts"
import { physicalName } from "../environment.ts"
import { permanent } from "../stack-keys.ts"
import { at, lasting, type Found, type Rule } from "./rule.ts"
import { hostOf, isOnWorkersDev } from "./url.ts"

const Workflow = z.object({
  jobs: z.record(z.string(), z.object({ "timeout-minutes": z.number().optional() })),
})

/** GitHub's default limit for a job, in minutes. */
const defaultLimit = 360

/** Caches limits: a check reads them often, and parsing a workflow takes as long as all other rules. */
const timeouts = new Map<string, number | undefined>()

/**
 * Returns the minutes after which GitHub kills the job that deploys an environment. Undefined if this
 * repository has no workflow for it, such as when another pipeline deploys.
 */
export function pipelineLimit(environment: string): number | undefined {
  if (!timeouts.has(environment)) timeouts.set(environment, readLimit(environment))
  return timeouts.get(environment)
}

function readLimit(environment: string): number | undefined {
  const path = join(root, ".github", "workflows", `${environment}.yml`)
  if (!existsSync(path)) return undefined
  const job = Workflow.parse(parse(readFileSync(path, "utf8"))).jobs[environment]
  return job && (job["timeout-minutes"] ?? defaultLimit)
}

/** Seconds. A deployment takes about half a minute to reach all of Cloudflare's machines. */
const shortestPatience = { patience: 30, hostPatience: 300 }

/** Milliseconds: the two hashes of a password change, doubled for slow machines. */
const leastProcessorTime = 300

/** Minutes of a job for everything but the release: to install, build, plan, migrate and attach a host. */
const aroundRelease = 10

/** Seconds that a step must last for the logs of its first half to arrive in time (docs/assumptions.md). */
const logsCome = 120

export const behaviourRules: Rule[] = [
  {
    id: "R42",
    message: "Members of a permanent environment prove their e-mail address",
    fix: "remove accounts:verifyEmail",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment: { verifyEmail } }) =>
      at("accounts:verifyEmail", verifyEmail === false && "lets anyone sign in with any address"),
  },
  {
    id: "R43",
    message: "Where sign-in takes a verified address, e-mail can be sent",
    fix: "set it, or set accounts:verifyEmail to false",
    check: ({ environment, values }) => {
      const { mailUrl, keepMail, verifyEmail = permanent(environment) } = environment
      const isMissing = verifyEmail && !mailUrl && !keepMail && !("accounts:mailUrl" in values)
      const reason = "is missing, but sign-in requires a verified e-mail address"
      return at("accounts:mailUrl", isMissing && reason)
    },
  },
  {
    id: "R44",
    message: "Database, Worker and hostname of a permanent environment are protected from deletion",
    fix: "remove it, or accept it for the one deployment that has to delete",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment }) =>
      (["protect", "protectDatabase", "protectWorker", "protectHostname"] as const).flatMap((key) =>
        at(`accounts:${key}`, environment[key] === false && "lets one `up` delete it"),
      ),
  },
  {
    id: "R45",
    message: "A permanent environment has a host of its own domain",
    fix: "attach it to a host in a zone of yours",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment: { apiOrigin } }) => {
      const reason = "is on workers.dev, where no front end is its site"
      return at("accounts:apiOrigin", isOnWorkersDev(hostOf(apiOrigin) ?? "") && reason)
    },
  },
  {
    id: "R46",
    message: "A cron is written as Cloudflare reads it",
    fix: 'write it like "17 * * * *"',
    check: ({ environment: { crons = [] } }) =>
      crons.flatMap((pattern, index): Found[] => {
        const problem = cronProblem(pattern)
        const path = ["accounts:crons", index]
        return problem ? [{ path, reason: `${JSON.stringify(pattern)} ${problem}` }] : []
      }),
  },
  {
    id: "R47",
    message: "A request has the processor time that hashing a password takes",
    fix: "remove it: Cloudflare's default is long enough",
    check: ({ environment: { cpuMs = Infinity } }) => {
      const reason = `of ${cpuMs} ms stops sign-ins: scrypt alone takes about 70 ms, and up to ${leastProcessorTime} ms on a busy machine`
      return at("accounts:cpuMs", cpuMs < leastProcessorTime && reason)
    },
  },
  {
    id: "R48",
    message: "A release waits long enough for Cloudflare's machines to learn of it",
    fix: "remove it: the default is long enough",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment }) =>
      (["patience", "hostPatience"] as const).flatMap((key) => {
        const { [key]: seconds = Infinity } = environment
        const least = shortestPatience[key]
        const reason = `of ${seconds} s refuses good releases: ${least} s or more`
        return at(`accounts:${key}`, seconds < least && reason)
      }),
  },
  {
    id: "R49",
    message: "A database has a location or a jurisdiction",
    fix: "remove one of them",
    check: ({ environment: { location, jurisdiction } }) => {
      const reason = "is ignored by Cloudflare where accounts:jurisdiction is set"
      return at("accounts:location", location && jurisdiction && reason)
    },
  },
  {
    id: "R55",
    message:
      "A release in steps ends before the pipeline's job does, which would leave the traffic split",
    fix: "bake for less, take fewer steps, or raise timeout-minutes of the job in .github/workflows/",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment, values }) => {
      const { environment: kind, releaseSteps = [], releaseBake = 0, patience = 0 } = environment
      const limit = kind && pipelineLimit(kind)
      if (limit === undefined || releaseSteps.length === 0) return []
      // Each step, the trial before them and the confirmation after them may take all of the patience.
      const seconds = (releaseSteps.length - 1) * releaseBake + (releaseSteps.length + 1) * patience
      const [minutes, most] = [Math.ceil(seconds / 60), limit - aroundRelease]
      const keys = ["accounts:releaseBake", "accounts:releaseSteps", "accounts:patience"]
      const key = keys.find((candidate) => candidate in values) ?? "accounts:environment"
      const reason = `lets a release take ${minutes} minutes, of which the job ${kind} leaves ${most}: it is killed after ${limit}`
      return at(key, minutes > most && reason)
    },
  },
  {
    id: "R57",
    message:
      "A release that is judged by its traffic has steps, and logs that come before they end",
    fix: "set accounts:releaseSteps, bake for longer and log more, or remove it",
    accept: "with a reason",
    check: ({ environment }) => {
      const { releaseLimits, releaseSteps = [], releaseBake = 0, logSampling } = environment
      const { logDestinations = [] } = environment
      const reason =
        (releaseSteps.length < 2 &&
          "judges nothing: accounts:releaseSteps has no step below 100") ||
        (logSampling === 0 && "judges nothing: accounts:logSampling keeps no logs") ||
        (logDestinations.length > 0 &&
          "judges nothing: with accounts:logDestinations, Cloudflare writes no line of a request") ||
        (releaseBake < logsCome &&
          `judges by logs that take up to a minute to come, and accounts:releaseBake is ${releaseBake} s: ${logsCome} s or more`)
      return at("accounts:releaseLimits", releaseLimits && reason)
    },
  },
  {
    id: "R65",
    message: "E-mails are kept in the database of a preview alone, whose people are made up",
    fix: "remove it; a preview that sends its e-mails has accounts:mailUrl instead",
    check: ({ environment: { keepMail, environment, mailUrl, fixture } }) => {
      const reason =
        (environment !== "preview" &&
          !fixture &&
          "sends no e-mail, and its links let anyone in who reads the database or a backup") ||
        (mailUrl && "sends nothing to accounts:mailUrl")
      return at("accounts:keepMail", keepMail && reason)
    },
  },
  {
    id: "R61",
    message: "The URLs of requests, with the tokens of mail links in them, stay at Cloudflare",
    fix: "send the service's own lines by accounts:logDestinations, which hold no URL",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment: { traceDestinations = [], logpush, tailConsumers = [] } }) => {
      const reason = "gives them to every reader there"
      return [
        ...at("accounts:traceDestinations", traceDestinations.length > 0 && reason),
        ...at("accounts:logpush", logpush && reason),
        ...at("accounts:tailConsumers", tailConsumers.length > 0 && reason),
      ]
    },
  },
  {
    id: "R62",
    message: "A destination gets something, and is not the service itself",
    fix: "raise its sampling, or remove it",
    check: ({ stack, environment }) => {
      const { logSampling, logDestinations = [], traceSampling = 0 } = environment
      const { traceDestinations = [], tailConsumers = [] } = environment
      const nothing = "gets nothing, because the share of its requests is 0"
      const isTailConsumer = tailConsumers.includes(physicalName(stack, environment))
      return [
        ...at("accounts:logDestinations", logDestinations[0] && logSampling === 0 && nothing),
        ...at("accounts:traceDestinations", traceDestinations[0] && traceSampling === 0 && nothing),
        ...at(
          "accounts:tailConsumers",
          isTailConsumer && "names the service, which cannot read its own events",
        ),
      ]
    },
  },
]

/**
 * Explains why Cloudflare cannot read a cron expression. Its parser (github.com/cloudflare/saffron) is
 * narrower than croner: five fields, no `@daily`, no `?`, weekdays from 1 (Sunday) to 7.
 */
function cronProblem(pattern: string): string | undefined {
  const fields = pattern.split(/\s+/)
  if (fields.length !== 5) return "must have five fields: minute, hour, day, month, weekday"
  if (!fields.every((field) => /^[0-9A-Z*,/#-]+$/i.test(field))) {
    return "has a character that Cloudflare does not read"
  }
  const days = fields[4]?.split(",").flatMap((part) => part.split(/[/#]/)[0]?.match(/\d+/g) ?? [])
  if (days?.some((day) => Number(day) < 1 || Number(day) > 7)) {
    return "has a weekday that is none of Cloudflare's: 1 (Sunday) to 7"
  }
  try {
    const options = { mode: "5-part", alternativeWeekdays: true, sloppyRanges: true } as const
    const cron = new Cron(pattern, { ...options, paused: true, timezone: "UTC" })
    const next = cron.nextRun()
    cron.stop()
    return next === null ? "names no moment" : undefined
  } catch {
    return "has a value outside its field"
  }
}
