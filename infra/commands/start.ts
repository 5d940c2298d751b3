import { health } from "./health.ts"
import { openLocalStack, type LocalOptions, type LocalStack } from "./local-stack.ts"
import { Failure, paint, print, say, table } from "./output.ts"
import { seconds } from "./progress.ts"
import { mendLocal } from "./repair.ts"
import { showRequests } from "./requests.ts"
import { up } from "./stack.ts"
import { summary } from "./summary.ts"
import { watchSources } from "./watch.ts"

export type StartOptions = LocalOptions & { once: boolean; json: boolean }

/** Brings `local` up and keeps it up until a signal ends it. */
export async function start(options: StartOptions): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal)
  await using local = await openLocalStack(options)
  const lost = local.cloudflare.ended.then((reason) => {
    if (!stop.signal.aborted) throw new Failure(reason)
  })
  lost.catch(() => stop.abort())

  await mendLocal(local)
  const began = performance.now()
  const changes = await up(local.stack, { signal: stop.signal })
  if (stop.signal.aborted) return await lost
  const outputs = await local.stack.outputs()
  const url = String(outputs["url"]?.value)
  await health({ url, connectTo: local.cloudflare.edge })

  say(`${paint.green("✓")} ${summary(changes)} in ${seconds(performance.now() - began)}`)
  if (options.json) print(JSON.stringify(document(local, url, outputs)))
  else {
    print(table(rows(local, url, outputs)))
    print(`ready ${url}`)
  }
  if (options.once) return

  say(
    paint.dim(
      "  Ctrl-C ends it. Changes in app/, migrations/ and the stack file are deployed as you save them.",
    ),
  )
  const requests = showRequests(local.cloudflare, stop.signal)
  const watching = watchSources({
    stackFile: local.project.stackFile,
    signal: stop.signal,
    redeploy: () => redeploy(local, stop.signal),
  })
  await Promise.race([Promise.all([requests, watching]), lost])
}

type Outputs = Awaited<ReturnType<LocalStack["stack"]["outputs"]>>

/** A failed edit is shown and forgotten: the version that serves goes on serving. */
async function redeploy({ stack }: LocalStack, signal: AbortSignal): Promise<void> {
  const began = performance.now()
  try {
    const changes = await up(stack, { signal })
    say(`${paint.green("✓")} ${summary(changes)} in ${seconds(performance.now() - began)}`)
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error
    say(`${paint.red("✗")} ${error.message} Fix it and save: the version before goes on serving.`)
  }
}

function rows(
  { cloudflare, provider, project }: LocalStack,
  url: string,
  outputs: Outputs,
): [string, string][] {
  return [
    ["service", url],
    ["health", `${url}/api/health`],
    ["stack", `${project.stack} (${provider} Cloudflare provider)`],
    ["Worker", `${outputs["worker"]?.value} version ${outputs["versionId"]?.value}`],
    ["database", String(outputs["databaseId"]?.value)],
    ["migrations", String(outputs["migrationsHead"]?.value)],
    ["Cloudflare API", cloudflare.api],
  ]
}

function document({ cloudflare, provider, project }: LocalStack, url: string, outputs: Outputs) {
  const values = Object.fromEntries(
    Object.entries(outputs).map(([name, { value }]) => [name, value]),
  )
  return {
    ready: true,
    ...values,
    url,
    stack: project.stack,
    provider,
    api: cloudflare.api,
    edge: cloudflare.edge,
  }
}
