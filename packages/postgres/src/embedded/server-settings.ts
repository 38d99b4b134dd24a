const ALWAYS = {
  listen_addresses: '127.0.0.1',
  // Socket paths are limited to about a hundred bytes, and TCP is enough.
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  // Nothing replicates an embedded server.
  max_logical_replication_workers: '0',
  // Statements are short: compiling one takes longer than running it.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and error details contain user data.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

const THROWAWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
};

/** Returns command line arguments for the settings that differ from initdb's configuration file. */
export function settingArguments(port: number, durable: boolean): string[] {
  const settings = { ...ALWAYS, ...(durable ? {} : THROWAWAY), port: String(port) };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
