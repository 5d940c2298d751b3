import { shellQuote } from "../engine/shell-quote.ts"

/**
 * The commands that list the objects of a folder in a bucket and delete one of them. The engine has no
 * command that deletes one alone, and no other program comes with it.
 * @param url of the bucket, as the engine shows it
 */
export function deletingCommands(url: string, folder: string): { list: string; remove: string } {
  const { protocol, host, pathname, searchParams } = new URL(url)
  const prefix = [pathname, searchParams.get("prefix") ?? "", folder]
    .map((part) => part.replace(/^\/+|\/+$/g, ""))
    .filter(Boolean)
    .join("/")
  const place = `${protocol}//${host}/${prefix}`
  if (protocol === "gs:") {
    return {
      list: `gcloud storage ls ${shellQuote(`${place}/`)}`,
      remove: `gcloud storage rm ${shellQuote(`${place}/OBJECT`)}`,
    }
  }
  if (protocol === "azblob:") {
    const account = searchParams.get("storage_account")
    const container = flags({ "container-name": host, "account-name": account })
    return {
      list: `az storage blob list${container} --prefix ${shellQuote(`${prefix}/`)} --query '[].name' --output tsv`,
      remove: `az storage blob delete${container} --name ${shellQuote(`${prefix}/OBJECT`)}`,
    }
  }
  const aws = flags({
    "endpoint-url": withScheme(searchParams),
    region: searchParams.get("region"),
    profile: searchParams.get("profile"),
  })
  return {
    list: `aws s3 ls ${shellQuote(`${place}/`)}${aws}`,
    remove: `aws s3 rm ${shellQuote(`${place}/OBJECT`)}${aws}`,
  }
}

function flags(values: Record<string, string | null>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value ? [` --${name} ${shellQuote(value)}`] : []))
    .join("")
}

/** The engine takes an endpoint without a scheme. */
function withScheme(query: URLSearchParams): string | null {
  const endpoint = query.get("endpoint")
  if (!endpoint || /^https?:\/\//.test(endpoint)) return endpoint
  const plain = query.get("disableSSL") === "true" || query.get("disable_https") === "true"
  return `${plain ? "http" : "https"}://${endpoint}`
}
