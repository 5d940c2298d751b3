/** The browser's storage, which its tabs share: absent outside of browsers, and where it is forbidden. */
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
    // The other tabs are not told.
  }
}
