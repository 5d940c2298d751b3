import * as z from "zod"

import { physicalName } from "../../infra/environment/rules.ts"
import { generatedSecrets } from "../../infra/generated-secrets.ts"
import { askEnd, findEnd } from "../process/sandbox.ts"
import type { LocalStack } from "../stack/local-stack.ts"

const Deployment = z.looseObject({
  resources: z
    .array(z.looseObject({ type: z.string(), urn: z.string(), outputs: z.unknown() }))
    .default([]),
})

/** How an export with secrets in clear shows one. */
const Made = z.looseObject({
  value: z
    .looseObject({ plaintext: z.string() })
    .transform(({ plaintext }) => z.string().parse(JSON.parse(plaintext))),
})

/** Tells the ends of a state directory which keys the deployed service shares with them. */
export async function tellEnds({ stack, state }: LocalStack): Promise<void> {
  const [mail, payment] = await Promise.all([findEnd("mail", state), findEnd("payment", state)])
  if (!mail && !payment) return
  const { deployment } = await stack.exportStack()
  const { resources } = Deployment.parse(deployment)
  const { url } = await stack.outputs()
  const valueOf = (binding: keyof typeof generatedSecrets) => {
    const name = `${physicalName(stack.name)}-${generatedSecrets[binding]}`
    const made = resources.find(
      ({ type, urn }) => type === "accounts:index:Secret" && urn.endsWith(`::${name}`),
    )
    return made && Made.parse(made.outputs).value
  }
  const [mailSecret, secret] = [valueOf("MAIL_SECRET"), valueOf("PAYMENT_SECRET")]
  const webhookSecret = valueOf("PAYMENT_WEBHOOK_SECRET")
  if (mail && mailSecret) await askEnd(mail, { path: "/local/keys", body: { secret: mailSecret } })
  if (payment && secret && webhookSecret) {
    const webhookUrl = new URL("/api/v1/processWebhook", String(url?.value)).href
    await askEnd(payment, { path: "/local/keys", body: { secret, webhookSecret, webhookUrl } })
  }
}
