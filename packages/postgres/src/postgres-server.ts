/** A Postgres server that can be used until `close()`. */
export interface PostgresServer {
  /** Address of a database on it, password included. Not for logs. */
  readonly url: string;
  readonly kind: 'url' | 'embedded' | 'container';
  /** Stops what was started and resolves once it is down. Leaves a server that was given by URL alone. */
  close(): Promise<void>;
}
