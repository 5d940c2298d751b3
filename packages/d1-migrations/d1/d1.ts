/** As much of a database as migrations need. A failure is one with the code API_FAILED. */
export type D1 = {
  /** For `wrangler d1 time-travel restore`; empty where there is no Time Travel. */
  databaseId: string
  /**
   * Rows of each statement, in one request, so all see the same moment. Sent again after a lost
   * answer, so they must read only or change nothing the second time.
   */
  query(statements: string[]): Promise<unknown[][]>
  /** Sent once. All statements of `sql` take effect, or none. */
  change(sql: string): Promise<unknown>
  /** Of this moment, for Time Travel; empty where there is none. */
  bookmark(): Promise<string>
}
