import { FILE_SETTINGS, type FileSetting, SECTION_NAMES, type SectionName } from './file-settings.ts';
import type { ConfigFile } from './parse-config-file.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Adds the settings of a section of the configuration file to an environment. The environment takes precedence. */
export function withFileSettings(
  env: Env,
  section: SectionName,
  file: ConfigFile,
): Record<string, string | undefined> {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return { ...file[section], ...Object.fromEntries(set) };
}

/** The value of a setting, and what set it. */
export interface EffectiveSetting extends Pick<FileSetting, 'section' | 'name' | 'variable'> {
  /** null: not set, and there is no fixed default. Endpoints are shown without their keys and headers. */
  readonly value: string | null;
  readonly source: 'environment' | 'file' | 'default';
}

/** Lists all settings with their values and sources. */
export function effectiveSettings(env: Env, file: ConfigFile): readonly EffectiveSetting[] {
  return SECTION_NAMES.flatMap((section) =>
    FILE_SETTINGS[section].map((setting) => effective(setting, env, file)),
  );
}

function effective(setting: FileSetting, env: Env, file: ConfigFile): EffectiveSetting {
  const { section, name, variable, schema } = setting;
  const at = { section, name, variable };
  const fromEnv = env[variable];
  if (fromEnv !== undefined && fromEnv !== '')
    return { ...at, value: shown(setting, fromEnv), source: 'environment' };
  const fromFile = file[section][variable];
  if (fromFile !== undefined) return { ...at, value: shown(setting, fromFile), source: 'file' };
  const { data } = schema.safeParse(undefined);
  return { ...at, value: data === undefined ? null : defaultText(data), source: 'default' };
}

function defaultText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Endpoints may contain keys, and a proxy’s URL a password. */
function shown({ name, schema }: FileSetting, text: string): string {
  if (name === 'http_proxy' || name === 'https_proxy') return bareUrl(text);
  if (name === 'endpoints') return endpointUrls(text);
  const { data } = schema.safeParse(text);
  return typeof data === 'boolean' ? String(data) : text;
}

function endpointUrls(text: string): string {
  try {
    const endpoints = JSON.parse(text) as unknown;
    if (!Array.isArray(endpoints)) return 'not an array';
    return endpoints
      .map((each: unknown) =>
        typeof each === 'object' && each !== null ? bareUrl(String(Reflect.get(each, 'url'))) : '?',
      )
      .join(', ');
  } catch {
    return 'not JSON';
  }
}

/** Removes user, password and query of a URL. */
function bareUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return 'not a URL';
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
