import type { Asset, AssetName } from './assets.ts';
import { Document } from './layout.tsx';
import type { Theme } from './page-context.ts';

/** The form that exchanges a key for a session. */
export function SignInPage({
  next,
  problem,
  theme,
  assets,
}: {
  readonly next: string;
  /** Why the last key was refused; null at first. */
  readonly problem: string | null;
  readonly theme: Theme;
  readonly assets: Readonly<Record<AssetName, Asset>>;
}) {
  return (
    <Document title="Sign in" theme={theme} assets={assets}>
      <main id="main" class="sign-in">
        <h1>macbatch</h1>
        <form method="post" action="/sign-in">
          <input type="hidden" name="next" value={next} />
          {/* Password managers store the key under a name. */}
          <input hidden name="username" value="macbatch" autocomplete="username" readonly />
          <label for="key">Key</label>
          <input
            id="key"
            name="key"
            type="password"
            required
            autocomplete="current-password"
            spellcheck={false}
            aria-describedby={problem === null ? 'key-hint' : 'key-problem key-hint'}
            aria-invalid={problem === null ? undefined : 'true'}
          />
          {problem !== null && (
            <p id="key-problem" class="problem" role="alert">
              {problem}
            </p>
          )}
          <p id="key-hint" class="note">
            It begins with <code>mbk_</code>. An admin creates one with{' '}
            <code>macbatch keys create --role submit --name NAME</code>. The session lasts twelve hours.
          </p>
          <button type="submit">Sign in</button>
        </form>
      </main>
    </Document>
  );
}
