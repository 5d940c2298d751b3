/** Returns the path of an operation that does not declare a path. */
export function conventionalPath(noun: string, name: string) {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return noun === "auth" ? `/api/auth/${words}` : `/api/v1/${name}`
}
