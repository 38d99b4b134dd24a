import { createRoute, z } from '@hono/zod-openapi';
import { body, json } from '../json-content.ts';
import {
  Caller,
  CreateKeyReply,
  CreateKeyRequest,
  EndSessionReply,
  JoinReply,
  JoinRequest,
  JoinTokenReply,
  JoinTokenRequest,
  KeyList,
  KeyView,
  SessionReply,
} from '../key.ts';
import { refused } from './refused.ts';

/** Routes of keys, sessions and invitations. */
export const keyRoutes = {
  readCaller: createRoute({
    method: 'get',
    path: '/v1/caller',
    summary: "Show what this request's key may do",
    responses: { 200: json(Caller, 'The role and identity of the key'), ...refused },
  }),
  createSession: createRoute({
    method: 'post',
    path: '/v1/sessions',
    summary: "Exchange this request's key for a session of twelve hours",
    description: 'For browsers. A session has the rights of its key and ends with it.',
    responses: { 200: json(SessionReply, 'The session. It is shown only once'), ...refused },
  }),
  endSession: createRoute({
    method: 'post',
    path: '/v1/sessions/end',
    summary: 'End the session that this request was sent with',
    responses: { 200: json(EndSessionReply, 'Whether a session ended'), ...refused },
  }),
  createKey: createRoute({
    method: 'post',
    path: '/v1/admin/keys',
    summary: 'Create a key',
    request: { body: body(CreateKeyRequest) },
    responses: { 200: json(CreateKeyReply, 'The key. It is shown only once'), ...refused },
  }),
  listKeys: createRoute({
    method: 'get',
    path: '/v1/admin/keys',
    summary: 'List keys, newest first',
    responses: { 200: json(KeyList, 'All keys, without their secrets'), ...refused },
  }),
  revokeKey: createRoute({
    method: 'post',
    path: '/v1/admin/keys/{id}/revoke',
    summary: 'Revoke a key',
    request: { params: z.object({ id: z.string().regex(/^[0-9a-f]{16}$/) }) },
    responses: { 200: json(KeyView, 'The key'), ...refused },
  }),
  createJoinToken: createRoute({
    method: 'post',
    path: '/v1/admin/join_tokens',
    summary: 'Create a join token for one worker',
    request: { body: body(JoinTokenRequest) },
    responses: { 200: json(JoinTokenReply, 'The token. It is shown only once'), ...refused },
  }),
  joinWorker: createRoute({
    method: 'post',
    path: '/v1/workers/join',
    summary: 'Exchange a join token, sent as bearer token, for a worker key',
    description: 'Revokes an earlier key of the same worker.',
    request: { body: body(JoinRequest) },
    responses: { 200: json(JoinReply, 'The key. It is shown only once'), ...refused },
  }),
} as const;
