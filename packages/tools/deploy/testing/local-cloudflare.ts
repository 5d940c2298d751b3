import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"

export type LocalCloudflare = Awaited<ReturnType<typeof startLocalCloudflare>>

/** No decision of the provider may rest on the kinder answers. */
export const doubts = { lateReads: 1, undeployedUnknown: true, otherCodes: true }

/** A local Cloudflare that answers in the less convenient ways. */
export async function startLocalCloudflare(answers: Partial<typeof doubts> = doubts) {
  const cloudflare = await localCloudflare()
  await cloudflare.local("/local/settings", { doubts: answers })
  return cloudflare
}
