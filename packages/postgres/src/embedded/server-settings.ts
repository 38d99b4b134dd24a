const ALWAYS = {
  listen_addresses: '127.0.0.1',
  // Paths of sockets are limited to about a hundred bytes, and TCP does all we need.
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  // Nobody replicates it.
  max_logical_replication_workers: '0',
  // Statements are short and many: compiling one costs more than running it.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and the details of errors hold people's data.
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

/** Arguments that set what initdb's own configuration file leaves open. */
export function settingArguments(port: number, durable: boolean): string[] {
  const settings = { ...ALWAYS, ...(durable ? {} : THROWAWAY), port: String(port) };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
