/**
 * Whether a request was addressed to this machine by a name that only means this machine. A site can give its own
 * name the address 127.0.0.1, and its pages then may send requests here: see "DNS rebinding".
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|0\.0\.0\.0|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}
