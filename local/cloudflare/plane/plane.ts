import type { AssetRules } from "./asset-rules.ts"
import type { Exchange } from "./forward.ts"

/** A module of a Worker version, exactly as it was uploaded. */
export type Module = {
  name: string
  /** MIME type of the upload, for example `application/javascript+module`. */
  contentType: string
  content: Uint8Array
}

/** A binding in Cloudflare's JSON, secrets with their `text`. */
export type Binding = { name: string; type: string } & Record<string, unknown>

/** Files that Cloudflare serves in front of a Worker, or instead of one. */
export type Assets = {
  /** Where the contents are. */
  directory: string
  files: {
    /** As in a URL, for example `/blog/index.html`. */
    path: string
    /** 32 hexadecimal digits that the client chose; it becomes the `ETag`. */
    hash: string
    /** Name of the content in `directory`. */
    content: string
    /** Null when answers have none. */
    contentType: string | null
  }[]
  rules: AssetRules
}

/** Everything that is needed to run one version of a Worker. */
export type VersionSpec = {
  /** UUID of the version. */
  id: string
  script: string
  number: number
  /** ISO 8601. */
  createdOn: string
  /** `workers/tag` annotation, empty when there is none. */
  tag: string
  /** Empty, like `modules`, when there are assets and no Worker. */
  mainModule: string
  modules: Module[]
  compatibilityDate: string
  compatibilityFlags: string[]
  bindings: Binding[]
  assets?: Assets
}

export type Statement = { sql: string; params: unknown[] }

/** What one statement gave, before any of Cloudflare's envelopes. */
export type StatementResult = {
  columns: string[]
  rows: unknown[][]
  meta: Record<string, unknown> & { changes: number; last_row_id: number; duration: number }
}

/** The script can't start; `message` is what Cloudflare prints after its code 10021. */
export class ScriptStartError extends Error {
  override name = "ScriptStartError"
}

/** D1 refused a statement; `message` is D1's own, without the `D1_ERROR: ` prefix. */
export class QueryError extends Error {
  override name = "QueryError"
}

/** A version that is not running, or that ends: pick another one, or start it again. */
export class NotRunningError extends Error {
  override name = "NotRunningError"
}

/** What one version did: a JSON array of workerd's traces, each of one event. */
export type Traces = { script: string; versionId: string; json: string }

/** Where Workers run and databases live: workerd processes behind one interface. */
export type Plane = {
  /** Makes a database known; idempotent. Storage is created on first use. */
  openDatabase(id: string): Promise<void>
  /** Forgets a database and removes its files; idempotent. Its id can't be used again. */
  dropDatabase(id: string): Promise<void>
  /**
   * Runs all statements as one atomic batch. Any other error than the one below means that it is
   * unknown whether the batch was applied.
   * @throws QueryError: nothing was applied.
   */
  query(databaseId: string, statements: Statement[]): Promise<StatementResult[]>
  /** Where the database is on disk, in SQLite's format; it may not exist before the first use. */
  databaseFile(id: string): string
  /** Size of the database in bytes. */
  databaseSize(id: string): number

  /**
   * Boots a version without sending it traffic; idempotent. The milliseconds are wall-clock time
   * from the start of the process until it listens.
   * @throws ScriptStartError
   */
  start(version: VersionSpec): Promise<{ startupMilliseconds: number }>
  running(versionId: string): boolean
  /**
   * Names the versions of all live deployments, replacing the last call's. Any other version stays
   * warm only while it is among the few used last; after that it has to be started again.
   */
  pin(versionIds: Iterable<string>): void
  /** Waits for requests in flight (30 s at most), then ends the version's process; idempotent. */
  retire(versionId: string): Promise<void>
  /**
   * Proxies one HTTP request, or a WebSocket, to a running version. `url` is what the Worker sees as `request.url`;
   * the request's `headers` are passed on as they are. Resolves when the answer has ended.
   * @throws NotRunningError before anything of the request was read
   */
  serve(versionId: string, exchange: Omit<Exchange, "address">): Promise<void>
  /** Fires the version's `scheduled` handler. */
  fireCron(versionId: string, cron: string, scheduledTime: Date): Promise<{ outcome: string }>

  /** Makes databases learn whether queries are to be spoilt, and how, from now on. */
  faultsChanged(): Promise<void>

  /** Names the scripts whose traces somebody wants, replacing the last call's. */
  follow(scripts: Iterable<string>): Promise<void>

  /** One row per workerd process, resident memory in bytes. */
  processes(): { name: string; pid: number; residentBytes: number }[]
  /** Ends every process; storage is left consistent. */
  close(): Promise<void>
}
