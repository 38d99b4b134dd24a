/**
 * The environment of the programs we start: nothing of ours leaks into it. PGPORT and the like would change what
 * they do, and a locale that macOS has to look up makes the server multithreaded, which it refuses.
 */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
