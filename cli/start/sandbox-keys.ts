import type { GeneratedSecret } from "../../infra/generated-secrets.ts"
import { askSandbox, findSandboxes, openidClientId } from "../process/sandbox.ts"
import type { LocalStack } from "../stack/local-stack.ts"

type Service = {
  url: string
  /** Those that its stack has made, by binding. */
  secrets: Partial<Record<GeneratedSecret, string>>
}

/** Gives the running sandboxes of a state directory the keys that the deployed service shares with them. */
export async function shareKeysWithSandboxes(
  { state }: Pick<LocalStack, "state">,
  { url, secrets }: Service,
): Promise<void> {
  const { mail, payment, openid } = await findSandboxes(state)
  if (mail && secrets.MAIL_SECRET) {
    await askSandbox(mail, { path: "/local/keys", body: { secret: secrets.MAIL_SECRET } })
  }
  const { PAYMENT_SECRET: secret, PAYMENT_WEBHOOK_SECRET: webhookSecret } = secrets
  if (payment && secret && webhookSecret) {
    const webhookUrl = new URL("/api/v1/processWebhook", url).href
    await askSandbox(payment, { path: "/local/keys", body: { secret, webhookSecret, webhookUrl } })
  }
  const { IDP_CLIENT_SECRET: clientSecret } = secrets
  if (openid && clientSecret) {
    const redirectUri = new URL("/api/auth/callback/idp", url).href
    const body = { clientId: openidClientId, clientSecret, redirectUri }
    await askSandbox(openid, { path: "/local/keys", body })
  }
}
