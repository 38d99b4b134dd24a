export { createPages, type PagesOptions } from './create-pages.ts';
