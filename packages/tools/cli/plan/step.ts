import * as z from "zod"

const Properties = z.record(z.string(), z.unknown())
export type Properties = z.infer<typeof Properties>

const State = z.object({
  inputs: Properties.nullish().transform((inputs) => inputs ?? {}),
  outputs: Properties.nullish().transform((outputs) => outputs ?? {}),
  protect: z.boolean().default(false),
  hideDiffs: z.array(z.string()).nullish(),
})

/** A step in the engine's events, which do not contain values of secrets. */
const Metadata = z.object({
  op: z.string(),
  urn: z.string(),
  old: State.nullish(),
  new: State.nullish(),
  keys: z.array(z.string()).nullish(),
  diffs: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.object({ diffKind: z.string() })).nullish(),
})

export const EngineEvent = z.object({
  resourcePreEvent: z.object({ metadata: Metadata }).optional(),
  resOutputsEvent: z.object({ metadata: Metadata }).optional(),
  summaryEvent: z.object({ resourceChanges: z.record(z.string(), z.number()) }).optional(),
})

type ResourceState = z.infer<typeof State>

export type Step = {
  operation: string
  /** Resource type without its module, such as `WorkersRoute`. */
  type: string
  name: string
  /** Components and providers: they structure the program and deploy nothing themselves. */
  internal: boolean
  before: ResourceState | undefined
  after: ResourceState | undefined
  /** Kind of difference by property path. */
  differences: Record<string, string>
  /** Properties that make a replacement necessary. */
  replacing: string[]
}

export type EngineSteps = {
  steps: Step[]
  /** The refresh that preceded the steps: the resources as read from the account. */
  refreshed: Step[]
  /** Numbers of resources by operation. */
  changes: Record<string, number>
}

/** Parses the type, such as `cloudflare:index/worker:Worker`, and the logical name of a URN. */
export function readUrn(urn: string): { type: string; kind: string; name: string } {
  const [, , types = "", ...name] = urn.split("::")
  const type = types.split("$").at(-1) ?? ""
  return { type, kind: type.split(":").at(-1) ?? type, name: name.join("::") }
}

/** Components and providers: they structure the program and deploy nothing themselves. */
export function isInternal(urn: string): boolean {
  return /^(?:pulumi:|accounts:infra:)/.test(readUrn(urn).type)
}

/** Operations that change nothing. */
export const quiet = new Set(["same", "read", "refresh"])

/** Partial operations of a replacement, which also has its own step. */
const parts = new Set(["create-replacement", "delete-replaced", "discard-replaced"])

export function readSteps(events: unknown[]): EngineSteps {
  const read: EngineSteps = { steps: [], refreshed: [], changes: {} }
  for (const event of events) {
    const { resourcePreEvent, resOutputsEvent, summaryEvent } = EngineEvent.parse(event)
    const planned = resourcePreEvent?.metadata
    const done = resOutputsEvent?.metadata
    if (planned && planned.op !== "refresh" && !parts.has(planned.op)) {
      read.steps.push(stepOf(planned))
    }
    if (done?.op === "refresh") read.refreshed.push(stepOf(done))
    if (summaryEvent) read.changes = summaryEvent.resourceChanges
  }
  // The engine runs steps concurrently, so their order varies.
  return { ...read, steps: sorted(read.steps), refreshed: sorted(read.refreshed) }
}

function stepOf({ op, urn, ...metadata }: z.infer<typeof Metadata>): Step {
  const { kind, name } = readUrn(urn)
  return {
    operation: op,
    type: kind,
    name,
    internal: isInternal(urn),
    before: metadata.old ?? undefined,
    after: metadata.new ?? undefined,
    differences: differencesOf(metadata),
    replacing: metadata.keys ?? [],
  }
}

/** Cloudflare's provider returns only names, including properties that Cloudflare sets, which the program hides. */
function differencesOf({ detailedDiff, diffs, new: after }: Partial<z.infer<typeof Metadata>>) {
  const kinds = Object.entries(detailedDiff ?? {}).map(([path, { diffKind }]) => [path, diffKind])
  const names = diffs?.filter((name) => !after?.hideDiffs?.includes(name)) ?? []
  return Object.fromEntries(detailedDiff ? kinds : names.map((name) => [name, "update"]))
}

/** Resource types in the order of a deployment, as far as dependencies define it. */
const order = [
  "HostCheck",
  "DatabaseIdentity",
  "D1Database",
  "Migrations",
  "Secret",
  "Worker",
  "Version",
  "Release",
  "WorkersCustomDomain",
  "WorkersRoute",
  "CronTriggers",
  "Verification",
]

function sorted(steps: Step[]): Step[] {
  const rank = ({ type }: Step) => (order.indexOf(type) + order.length) % order.length
  // Deletions come last: a host is attached before another one is detached.
  const key = ({ type, name, operation }: Step) =>
    `${operation === "delete" ? 1 : 0} ${type} ${name} ${operation}`
  return steps.toSorted(
    (step, nextStep) => rank(step) - rank(nextStep) || (key(step) < key(nextStep) ? -1 : 1),
  )
}

export function stepOfType(steps: Step[], type: string): Step | undefined {
  return steps.find((step) => step.type === type && step.operation !== "delete")
}
