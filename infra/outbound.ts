import { behaviourOf, ConfiguredProvider } from "../app/service/platform/configuration/provider.ts"
import { call } from "../app/service/platform/http/outbound.ts"
import { serverOf } from "../app/service/sign-in/provider/protocol.ts"

type Outbound = {
  identityProviders?: Record<string, unknown> | undefined
  mailUrl?: string | undefined
  paymentUrl?: string | undefined
}

/**
 * Calls the services that a stack file names, as the Worker does, each for at most five seconds. A provider must
 * return its metadata; the others may return any response.
 * @returns a sentence for each service that does not answer as the file says
 */
export async function tryOutbound(environment: Outbound): Promise<string[]> {
  const { identityProviders = {}, mailUrl, paymentUrl } = environment
  const trials = [
    ...Object.entries(identityProviders).map(([id, provider]) => ({
      key: `identityProviders.${id}`,
      trial: askProvider(provider),
    })),
    ...Object.entries({ mailUrl, paymentUrl }).flatMap(([key, url]) =>
      url === undefined ? [] : [{ key, trial: call(url, { method: "HEAD" }) }],
    ),
  ]
  const answers = await Promise.allSettled(trials.map(({ trial }) => trial))
  return answers.flatMap((answer, index) =>
    answer.status === "fulfilled"
      ? []
      : [`accounts:${trials[index]?.key}: ${sentenceOf(answer.reason)}`],
  )
}

async function askProvider(declared: unknown): Promise<void> {
  const { clientId, ...provider } = ConfiguredProvider.parse(declared)
  await serverOf({ ...behaviourOf(provider), id: "tried", clientId, clientSecret: undefined })
}

function sentenceOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}
