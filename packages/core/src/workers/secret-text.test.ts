import { expect, it } from 'vitest';
import { findSecretText, hideSecrets, parseSecretText } from './secret-text.ts';

const KEY = `mbk_0123456789abcdef_${'aB-_'.repeat(10)}xyz`;
const OTHER = KEY.replace('0123', '4567');
const SESSION = KEY.replace('mbk', 'mbs');
const TOKEN = KEY.replace('mbk', 'mbj');

it('parses a key, a join token or a session of the wanted kind', () => {
  expect(parseSecretText('mbk', KEY)).toEqual({ id: '0123456789abcdef', secret: `${'aB-_'.repeat(10)}xyz` });
  expect(parseSecretText('mbj', TOKEN)?.id).toBe('0123456789abcdef');
  expect(parseSecretText('mbs', SESSION)?.id).toBe('0123456789abcdef');
  expect(parseSecretText('mbk', TOKEN)).toBeNull();
  expect(parseSecretText('mbk', SESSION)).toBeNull();
});

it.each(['', 'mbk_1', ` ${KEY}`, `${KEY}\n`, `${KEY}x`, `${KEY} ${KEY}`, `x${KEY}`, KEY.slice(0, -1)])(
  'parses no key from %j',
  (text) => {
    expect(parseSecretText('mbk', text)).toBeNull();
  },
);

it('finds the key in the output of a program with a banner', () => {
  const output = `\n> macbatch-workspace@0.1.0 macbatch\n> node apps/cli/src/main.ts keys create --name x\n\n${KEY}\n`;
  expect(findSecretText('mbk', output)).toBe(KEY);
  expect(findSecretText('mbk', `${KEY}\r\n${KEY}`)).toBe(KEY);
  expect(findSecretText('mbk', `{"key":"${KEY}"}`)).toBe(KEY);
});

it('finds nothing where no key or more than one stands', () => {
  expect(findSecretText('mbk', '')).toBeNull();
  expect(findSecretText('mbk', TOKEN)).toBeNull();
  expect(findSecretText('mbk', `${KEY}\n${OTHER}`)).toBeNull();
  expect(findSecretText('mbk', `${KEY}x`)).toBeNull();
});

it('hides the secret part of keys and tokens, whole or cut, and nothing else', () => {
  const text = `Bearer ${KEY}, "${TOKEN}", ${SESSION} and ${KEY.slice(0, 40)}; mbk_1 stays`;
  expect(hideSecrets(text)).toBe(
    'Bearer mbk_0123456789abcdef_[secret], "mbj_0123456789abcdef_[secret]", mbs_0123456789abcdef_[secret] and mbk_0123456789abcdef_[secret]; mbk_1 stays',
  );
});
