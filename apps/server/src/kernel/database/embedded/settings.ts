/** Given on the command line at every start, so that a newer server brings its own and no old file has a say. */
export const defaultSettings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  min_wal_size: '80MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  log_min_duration_statement: '5s',
}

/** For databases of one test run: nothing in them is worth a disk write. */
export const throwawaySettings: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  autovacuum: 'off',
}
