/**
 * The environment of Postgres programs. It inherits nothing: variables such as PGPORT change what the programs do, and
 * with another locale macOS makes the server multithreaded, which Postgres refuses.
 */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
