import * as z from "zod"

import { generatedSecrets } from "../../infra/generated-secrets.ts"
import { logicalName } from "../../infra/names.ts"
import { askSandbox, findSandbox, openidClientId } from "../process/sandbox.ts"
import type { LocalStack } from "../stack/local-stack.ts"

const Deployment = z.looseObject({
  resources: z
    .array(z.looseObject({ type: z.string(), urn: z.string(), outputs: z.unknown() }))
    .default([]),
})

/** A secret in an export with decrypted secrets. */
const GeneratedSecret = z.looseObject({
  value: z
    .looseObject({ plaintext: z.string() })
    .transform(({ plaintext }) => z.string().parse(JSON.parse(plaintext))),
})

/** Gives the running sandboxes of a state directory the keys that the deployed service shares with them. */
export async function shareKeysWithSandboxes(
  { stack, state }: LocalStack,
  url: string,
): Promise<void> {
  const [mail, payment, openid] = await Promise.all([
    findSandbox("mail", state),
    findSandbox("payment", state),
    findSandbox("openid", state),
  ])
  if (!mail && !payment && !openid) return
  const { deployment } = await stack.exportStack()
  const { resources } = Deployment.parse(deployment)
  const valueOf = (binding: keyof typeof generatedSecrets) => {
    const name = `${logicalName}-${generatedSecrets[binding]}`
    const secret = resources.find(
      ({ type, urn }) => type === "accounts:index:Secret" && urn.endsWith(`::${name}`),
    )
    return secret && GeneratedSecret.parse(secret.outputs).value
  }
  const [mailSecret, secret] = [valueOf("MAIL_SECRET"), valueOf("PAYMENT_SECRET")]
  const webhookSecret = valueOf("PAYMENT_WEBHOOK_SECRET")
  if (mail && mailSecret) {
    await askSandbox(mail, { path: "/local/keys", body: { secret: mailSecret } })
  }
  if (payment && secret && webhookSecret) {
    const webhookUrl = new URL("/api/v1/processWebhook", url).href
    await askSandbox(payment, { path: "/local/keys", body: { secret, webhookSecret, webhookUrl } })
  }
  const clientSecret = valueOf("IDP_CLIENT_SECRET")
  if (openid && clientSecret) {
    const redirectUri = new URL("/api/auth/callback/idp", url).href
    const body = { clientId: openidClientId, clientSecret, redirectUri }
    await askSandbox(openid, { path: "/local/keys", body })
  }
}
