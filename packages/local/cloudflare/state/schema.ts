/** The number goes up with every change of the tables, which then need a reset. */
export type Schema = { version: number; sql: string }

/**
 * The schema of `control.db`. JSON columns hold values as clients sent them; secrets are in
 * `version.bindings` only.
 */
export const controlSchema: Schema = {
  version: 9,
  sql: `
  CREATE TABLE database (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    jurisdiction TEXT,
    read_replication TEXT NOT NULL,
    primary_location_hint TEXT
  ) STRICT;

  CREATE TABLE worker (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_on TEXT NOT NULL,
    updated_on TEXT NOT NULL,
    settings TEXT NOT NULL
  ) STRICT;

  CREATE TABLE version (
    id TEXT PRIMARY KEY,
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    created_on TEXT NOT NULL,
    source TEXT NOT NULL,
    main_module TEXT NOT NULL,
    modules TEXT NOT NULL,
    compatibility_date TEXT NOT NULL,
    compatibility_flags TEXT NOT NULL,
    bindings TEXT NOT NULL,
    annotations TEXT NOT NULL,
    startup_time_ms INTEGER NOT NULL,
    runtime TEXT NOT NULL,
    UNIQUE (worker_id, number)
  ) STRICT;

  CREATE TABLE deployment (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    created_on TEXT NOT NULL,
    source TEXT NOT NULL,
    annotations TEXT NOT NULL,
    versions TEXT NOT NULL
  ) STRICT;

  CREATE INDEX deployment_worker ON deployment (worker_id, sequence);

  CREATE TABLE domain (
    id TEXT PRIMARY KEY,
    hostname TEXT NOT NULL UNIQUE,
    zone_id TEXT NOT NULL,
    cert_id TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    attached_on TEXT NOT NULL
  ) STRICT;

  CREATE TABLE route (
    id TEXT PRIMARY KEY,
    zone_id TEXT NOT NULL,
    pattern TEXT NOT NULL,
    worker_id TEXT REFERENCES worker (id) ON DELETE CASCADE,
    UNIQUE (zone_id, pattern)
  ) STRICT;

  CREATE TABLE schedule (
    worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    cron TEXT NOT NULL,
    created_on TEXT NOT NULL,
    modified_on TEXT NOT NULL,
    PRIMARY KEY (worker_id, cron)
  ) STRICT;

  CREATE TABLE bookmark (
    id TEXT PRIMARY KEY,
    database_id TEXT NOT NULL REFERENCES database (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE dns_record (
    id TEXT PRIMARY KEY,
    zone_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    proxied INTEGER NOT NULL,
    priority INTEGER,
    comment TEXT,
    tags TEXT NOT NULL,
    created_on TEXT NOT NULL,
    modified_on TEXT NOT NULL
  ) STRICT;

  -- Zones come with a website, as most do; routes need proxied records, custom domains their absence.
  INSERT INTO dns_record
    (id, zone_id, name, type, content, ttl, proxied, tags, created_on, modified_on)
  SELECT id, zone_id, name, 'AAAA', '100::', 1, 1, '[]', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
  FROM (
    SELECT '646e73616e796c6f63616c686f737401' AS id, '7a6f6e656c6f63616c686f7374000001' AS zone_id, '*.localhost' AS name
    UNION ALL SELECT '646e736163636f756e74730000000001', '7a6f6e656163636f756e747300000001', 'accounts.test'
    UNION ALL SELECT '646e73616e796163636f756e74730001', '7a6f6e656163636f756e747300000001', '*.accounts.test'
  )`,
}
