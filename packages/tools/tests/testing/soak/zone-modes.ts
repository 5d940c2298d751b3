import type { LocalCloudflare } from "../../../deploy/testing/local-cloudflare.ts"

/** Protections before the Workers of a zone: the defaults and all that an operator may turn on. */
export const zoneModes = [
  "off",
  "Browser Integrity Check",
  "Bot Fight Mode",
  "Access",
  "WAF rule",
] as const
export type ZoneMode = (typeof zoneModes)[number]

const serviceToken = { id: "release.access", secret: "the secret of a service token" }
const except = { header: "x-accounts-release", value: "a sealed value" }

/** Puts a mode before these hosts, and nothing else. */
export async function guardZone(
  cloudflare: LocalCloudflare,
  mode: ZoneMode,
  hosts: string[],
): Promise<void> {
  await cloudflare.local("/local/settings", {
    browserCheck: mode === "Browser Integrity Check",
    fightMode: mode === "Bot Fight Mode",
    accessApplications:
      mode === "Access" ? hosts.map((host) => ({ host, serviceTokens: [serviceToken] })) : [],
    firewallRules: mode === "WAF rule" ? hosts.map((host) => ({ host, except })) : [],
  })
}

/** The headers that pass a mode; undefined if there are none. */
export function passOf(mode: ZoneMode): Record<string, string> | undefined {
  const passes: Partial<Record<ZoneMode, Record<string, string>>> = {
    Access: {
      "CF-Access-Client-Id": serviceToken.id,
      "CF-Access-Client-Secret": serviceToken.secret,
    },
    "WAF rule": { [except.header]: except.value },
  }
  return passes[mode]
}
