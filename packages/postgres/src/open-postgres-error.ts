export type OpenPostgresProblem =
  | 'bad_url'
  | 'unreachable'
  | 'not_ready'
  | 'read_only'
  | 'wrong_password'
  | 'no_such_database'
  | 'too_old'
  | 'no_binaries'
  | 'folder_in_use'
  | 'folder_unusable'
  | 'other_major'
  | 'port_taken'
  | 'initdb_failed'
  | 'start_failed'
  | 'stop_failed'
  | 'bad_backup'
  | 'no_container';

/** No server could be found or started. The message says what to do, and never contains a password. */
export class OpenPostgresError extends Error {
  override readonly name = 'OpenPostgresError';
  readonly code: OpenPostgresProblem;

  constructor(code: OpenPostgresProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
