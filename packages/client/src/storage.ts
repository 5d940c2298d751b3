/** The browser's, which its tabs share: there is none outside of browsers, and none where it is forbidden. */
export function read(key: string) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Where there is none, the page alone remembers. */
export function write(key: string, value: string | number) {
  try {
    localStorage.setItem(key, String(value))
  } catch {
    // Nobody else is told.
  }
}
