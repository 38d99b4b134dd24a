import { z } from 'zod';

const text = z.string().optional();

/** The variables that most programs read for proxies. The lower-case ones take precedence, as in curl. */
export const ProxyConfig = z.object({
  http_proxy: text,
  HTTP_PROXY: text,
  https_proxy: text,
  HTTPS_PROXY: text,
  no_proxy: text,
  NO_PROXY: text,
});

/** The proxies that an environment names. `none` are the hosts that are reached directly. */
export function proxiesOf(env: z.output<typeof ProxyConfig>): {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly none: string | undefined;
} {
  return {
    http: env.http_proxy ?? env.HTTP_PROXY,
    https: env.https_proxy ?? env.HTTPS_PROXY,
    none: env.no_proxy ?? env.NO_PROXY,
  };
}
