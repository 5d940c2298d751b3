/** Stands for what better-auth keeps everything in when it is given no database. */
export function memoryAdapter() {
  throw new Error("auth.ts must give better-auth a database")
}
