/** A Postgres server that can be used until `close()`. */
export interface PostgresServer {
  /** Address of a database on it, password included. Not for logs. */
  readonly url: string;
  readonly kind: 'url' | 'embedded' | 'container';
  /** Resolves with why, once a server that was started here has ended by itself; of one given by URL never. */
  readonly ended: Promise<string>;
  /** Stops what was started and resolves once it is down. Leaves a server that was given by URL alone. */
  close(): Promise<void>;
}
