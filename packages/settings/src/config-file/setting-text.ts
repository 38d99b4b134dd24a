import type { FileSetting } from './file-settings.ts';

/** Settings with the path of a file. The configuration file may name it relative to its own folder. */
const PATHS = ['key_file', 'ca_file', 'state_dir', 'data_dir', 'probe_state'];

type ResolvePath = (path: string) => string;

/**
 * Returns the text that the variable of a setting has for a value of the configuration file; undefined when the
 * value has the wrong type.
 */
export function settingText(
  { name }: FileSetting,
  value: unknown,
  resolvePath: ResolvePath,
): string | undefined {
  if (name === 'endpoints')
    return Array.isArray(value)
      ? JSON.stringify(value.map((each) => endpoint(each, resolvePath)))
      : undefined;
  if (name === 'aliases')
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
  if (name === 'discover_urls') return Array.isArray(value) ? value.join(',') : undefined;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  return PATHS.includes(name) ? resolvePath(value) : value;
}

/** Names of an endpoint’s members in the configuration file, and in the variable. */
const ENDPOINT_NAMES: Readonly<Record<string, string>> = {
  key_file: 'keyFile',
  headers_file: 'headersFile',
  job_types: 'jobTypes',
  timeout_ms: 'timeoutMs',
  finish_reasons: 'finishReasons',
};

function endpoint(value: unknown, resolvePath: ResolvePath): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [
      ENDPOINT_NAMES[name] ?? name,
      name.endsWith('_file') && typeof member === 'string' ? resolvePath(member) : member,
    ]),
  );
}
