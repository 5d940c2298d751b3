import type { Exchange } from "./forward.ts"

export type Module = {
  name: string
  /** MIME type of the upload, for example `application/javascript+module`. */
  contentType: string
  content: Uint8Array
}

/** A binding in Cloudflare's JSON. Secrets include their `text`. */
export type Binding = { name: string; type: string } & Record<string, unknown>

export type VersionSpec = {
  /** UUID of the version. */
  id: string
  script: string
  number: number
  /** ISO 8601. */
  createdOn: string
  /** The `workers/tag` annotation; empty if absent. */
  tag: string
  mainModule: string
  modules: Module[]
  compatibilityDate: string
  compatibilityFlags: string[]
  bindings: Binding[]
}

export type Statement = { sql: string; params: (string | number | boolean | null)[] }

export type StatementResult = {
  columns: string[]
  rows: unknown[][]
  meta: Record<string, unknown> & { changes: number; last_row_id: number; duration: number }
}

/** The script can't start; `message` is the text of Cloudflare's error 10021. */
export class ScriptStartError extends Error {
  override name = "ScriptStartError"
}

/** D1 rejected a statement. `message` is D1's text, without the prefix `D1_ERROR: `. */
export class QueryError extends Error {
  override name = "QueryError"
}

/** The version is not running or is retiring: choose another version, or start it. */
export class NotRunningError extends Error {
  override name = "NotRunningError"
}

/** A line that a version printed with `console`, or an uncaught error with its stack. */
export type WorkerOutput = { script: string; versionId: string; message: string }

/** The error that replaces the response to a query. */
export type QueryFault = {
  /** Whether the statements run. */
  applied: boolean
  /** The error message for the caller. */
  error: string
  /** Whether to send the error only after D1's timeout. */
  late?: true
}

export type DatabaseFaults = {
  /** Returns whether any rule applies to queries. */
  active: () => boolean
  /** @returns undefined if the query runs normally */
  find: (database: string, sql: string) => Promise<QueryFault | undefined>
  waitForTimeout: () => Promise<void>
}

export type Plane = {
  /** Registers a database; idempotent. Its file is created on first use. */
  openDatabase(id: string): Promise<void>
  /** Removes a database and its files; idempotent. Its id can't be reused. */
  dropDatabase(id: string): Promise<void>
  /**
   * Runs all statements as one atomic batch.
   * @throws QueryError if nothing was applied; after any other error, the batch may have been applied
   */
  query(databaseId: string, statements: Statement[]): Promise<StatementResult[]>
  /** Path of the SQLite file, which may not exist before the first use. */
  databaseFile(id: string): string
  /** Returns the size of a database in bytes. */
  databaseSize(id: string): number

  /**
   * Boots a version without sending it traffic; idempotent. The result is wall-clock time from the
   * start of the process until it listens.
   * @throws ScriptStartError
   */
  start(version: VersionSpec): Promise<{ startupMilliseconds: number }>
  running(versionId: string): boolean
  /**
   * Replaces the set of live versions, which keep running. Other versions keep running only while they are among the
   * most recently used; after that they must be started again.
   */
  pin(versionIds: Iterable<string>): void
  /** Waits for requests in flight (30 s at most), then stops the version's process; idempotent. */
  retire(versionId: string): Promise<void>
  /**
   * Proxies an HTTP request or a WebSocket to a running version. `url` becomes `request.url`; headers are passed
   * unchanged. Resolves when the response has ended.
   * @throws NotRunningError before it has read any of the request
   */
  serve(versionId: string, exchange: Omit<Exchange, "address">): Promise<void>
  fireCron(versionId: string, cron: string, scheduledTime: Date): Promise<{ outcome: string }>

  /** Makes the storage process read the current fault rules. */
  faultsChanged(): Promise<void>

  /** Returns the CPU time that a version's process has used so far; 0 if it is not running. */
  processorMilliseconds(versionId: string): number

  /** Lists the workerd processes. */
  processes(): { name: string; pid: number; residentBytes: number }[]
  /** Stops every process; storage stays consistent. */
  close(): Promise<void>
}
