import { describe, expect, it } from 'vitest';
import { OpenPostgresError } from './open-postgres-error.ts';
import { requireSupportedVersion } from './server-version.ts';

describe('requireSupportedVersion', () => {
  it.each([150_000, 160_004, 180_004])('accepts %i', (version) => {
    expect(() => requireSupportedVersion(version, 'db/jobs')).not.toThrow();
  });

  it.each([140_019, 90_624])('refuses %i and says what to do', (version) => {
    const check = () => requireSupportedVersion(version, 'db/jobs');
    expect(check).toThrow(OpenPostgresError);
    expect(check).toThrow(/db\/jobs is version (14|9); macbatch needs 15 or newer. Upgrade it/);
  });
});
