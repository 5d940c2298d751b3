import { createResultInput } from "../../compatibility/testing/result.ts"
import type { Env } from "../../service/platform/configuration/env.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { createNetwork } from "../../testing/network.ts"
import { createPaymentProvider } from "../../testing/payment-provider.ts"
import { createPerson, type Person } from "../../testing/person.ts"

/** A member with a result, and the provider at which they pay for it. */
export async function openShop(changes: Partial<Env> = {}) {
  const provider = createPaymentProvider()
  const { requests } = createNetwork({ [provider.host]: provider.remote })
  const bound = bind({ ...provider.bindings, ...changes })
  const person = await createPerson(bound)
  const { body } = await person.post("createResult", createResultInput())
  const resultId = String(body["id"])
  const checkout = (who: Person = person) => who.post("createCheckout", { resultId })
  const paymentId = async () => String((await checkout()).body["paymentId"])
  /** Posts a webhook like the provider, without origin or cookie. */
  const deliver = (webhook: { body: string; headers: Record<string, string> }) =>
    createBrowser(bound, null).send("POST", "/api/v1/processWebhook", webhook)
  const result = async () => (await person.get(`getResult?id=${resultId}`)).body
  return { provider, requests, bound, person, resultId, checkout, paymentId, deliver, result }
}
