import { project } from "../../environment/project/own-project.ts"
import { askSandbox, findSandboxes, openidClientId } from "../process/sandbox.ts"
import type { LocalStack } from "../stack/local-stack.ts"

type Service = {
  url: string
  /** Those that its stack has made, by binding. */
  secrets: Record<string, string>
}

/** Gives the running sandboxes of a state directory the keys that the deployed service shares with them. */
export async function shareKeysWithSandboxes(
  { state }: Pick<LocalStack, "state">,
  { url, secrets }: Service,
): Promise<void> {
  const { mail, payment, openid } = await findSandboxes(state)
  const { MAIL_SECRET: mailSecret } = secrets
  if (mail && mailSecret) {
    await askSandbox(mail, { path: "/local/keys", body: { secret: mailSecret } })
  }
  const { PAYMENT_SECRET: secret, PAYMENT_WEBHOOK_SECRET: webhookSecret } = secrets
  if (payment && secret && webhookSecret) {
    const webhookUrl = new URL(project.paths.paymentWebhook, url).href
    await askSandbox(payment, { path: "/local/keys", body: { secret, webhookSecret, webhookUrl } })
  }
  const { IDP_CLIENT_SECRET: clientSecret } = secrets
  if (openid && clientSecret) {
    const redirectUri = new URL("/api/auth/callback/idp", url).href
    const body = { clientId: openidClientId, clientSecret, redirectUri }
    await askSandbox(openid, { path: "/local/keys", body })
  }
}
