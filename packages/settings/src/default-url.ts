/** The control plane that commands and workers call when nothing names another one. */
export const DEFAULT_CONTROL_URL = 'http://127.0.0.1:7420';
