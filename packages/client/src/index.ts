export { ApiError, isOutage, Unreachable } from './api-error.ts';
export { type CallOptions, Client, type ClientOptions, type ResultQuery } from './client.ts';
export { UnreadableReply } from './unreadable-reply.ts';
