/** The authentication library reads these names by itself and would change its behaviour. */
export function reservedNames(names: string[]) {
  return names
    .filter((name) => name === "TEST" || name.startsWith("BETTER_AUTH_"))
    .map((name) => `${name}: must not be bound; the authentication library reads it by itself`)
}
