/**
 * Whether a host is in the network of this machine, as far as its name or address tells: a private or link-local
 * address, or a name of Bonjour. macOS asks a person before it lets a program reach such hosts. Loopback does not count.
 */
export function isLocalNetworkHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (/\.local\.?$/.test(name)) return true;
  if (/^(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/.test(name)) return true;
  const [a, b, ...others] = name
    .split('.')
    .map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : Number.NaN));
  if (
    a === undefined ||
    b === undefined ||
    others.length !== 2 ||
    [a, b, ...others].some((part) => !(part <= 255))
  )
    return false;
  return (
    a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168) || (a === 169 && b === 254)
  );
}
