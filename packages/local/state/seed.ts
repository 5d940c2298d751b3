/** The one account of every state directory. Its id spells its name in hexadecimal. */
export const account = {
  id: "6163636f756e74736c6f63616c000001",
  name: "Accounts local",
  email: "local@accounts.test",
  workersDevelopmentSubdomain: "accounts-local",
  createdOn: "2026-01-01T00:00:00.000Z",
} as const

export type Zone = { id: string; name: string }

export const zones: Zone[] = [
  { id: "7a6f6e656c6f63616c686f7374000001", name: "localhost" },
  { id: "7a6f6e656163636f756e747300000001", name: "accounts.test" },
]

/** Where a script answers under workers.dev. */
export function workersDevHost(script: string): string {
  return `${script}.${account.workersDevelopmentSubdomain}.workers.dev`
}

/** The longest zone that the hostname equals or ends with. */
export function zoneOf(hostname: string): Zone | undefined {
  return zones
    .filter((zone) => hostname === zone.name || hostname.endsWith(`.${zone.name}`))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}
