export { createPages, type PagesOptions } from './create-pages.tsx';
