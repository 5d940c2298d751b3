/** Reads the storage that a browser's tabs share. Null outside of browsers, and if storage is forbidden. */
export function read(key: string) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Writes to the storage that a browser's tabs share. Does nothing without storage. */
export function write(key: string, value: string | number) {
  try {
    localStorage.setItem(key, String(value))
  } catch {
    // Other tabs are not notified.
  }
}
