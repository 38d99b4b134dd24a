export { type AppOptions, createApp } from './app.ts';
export { newSecret } from './auth/key-text.ts';
export { problemText } from './refusal.ts';
export { toldBoot } from './told-boot.ts';
