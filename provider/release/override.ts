export type Override = { scriptName: string; versionId: string }

/** The header that sends a request to a version of the deployment, whatever its share of the traffic. */
export function overrideOf(override: Override | undefined): Record<string, string> {
  if (override === undefined) return {}
  const { scriptName, versionId } = override
  return { "cloudflare-workers-version-overrides": `${scriptName}="${versionId}"` }
}
