const credentials = [
  "AWS_ACCESS_KEY_ID",
  "AWS_REGION",
  "AWS_REQUEST_CHECKSUM_CALCULATION",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "CLOUDFLARE_API_TOKEN",
  "PULUMI_ACCESS_TOKEN",
  "PULUMI_BACKEND_URL",
  "PULUMI_CONFIG_PASSPHRASE",
  "PULUMI_DEFAULT_ORGANIZATION",
]

/** Credentials of the backup bucket, and of its encryption: no step has both keys. */
const backupCredentials = [
  "ACCOUNTS_BACKUPS",
  "ACCOUNTS_BACKUPS_ACCESS_KEY_ID",
  "ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY",
]

/** By which git, and nothing else, reads the branches of a private repository. */
const gitCredentials = [
  "GITHUB_TOKEN",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_KEY_0",
  "GIT_CONFIG_VALUE_0",
]

/** Names of what a step that reads or changes a stack needs, by its command. */
export function credentialsOf(run = ""): string[] {
  if (run.includes(" sweep ")) return [...credentials, ...gitCredentials]
  if (run.includes(" status ")) return [...credentials, ...backupCredentials]
  if (run.includes("database backup ")) {
    return [...credentials, ...backupCredentials, "ACCOUNTS_BACKUPS_RECIPIENTS"]
  }
  if (run.includes("database backups ")) {
    return [...credentials, ...backupCredentials, "ACCOUNTS_BACKUPS_IDENTITY"]
  }
  return credentials
}
