export type Override = { scriptName: string; versionId: string }

/** Sends a request to one version of the deployment, whatever its share of the traffic. */
export function overrideHeaders(override: Override | undefined): Record<string, string> {
  if (override === undefined) return {}
  const { scriptName, versionId } = override
  return { "cloudflare-workers-version-overrides": `${scriptName}="${versionId}"` }
}
