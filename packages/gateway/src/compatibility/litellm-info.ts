// GET /key/info and /v1/model/info as LiteLLM answers them, for clients that show what is left or which models there are.
import { type HttpResponse, json } from '@trivium/http/response.ts'
import { authenticate, invalidKey } from '../access/authenticate.ts'
import { sendList } from '../access/list-models.ts'
import { writtenList } from '../access/model-lists.ts'
import { formatUsd } from '../money/amount.ts'
import type { UsageDependencies } from '../paid-call/receipts/usage-endpoint.ts'
import type { ApiRequest } from '../request/api-request.ts'

export async function showKeyInfo(incoming: ApiRequest, deps: UsageDependencies): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'chat', deps)
  const standing = await deps.store.keys.findWithAccount(caller.key)
  if (!standing) throw invalidKey()
  const { key } = standing
  return json(200, incoming.responseHeaders, {
    key: String(key.id),
    info: {
      key_name: `sk-...${key.lastFour}`,
      key_alias: key.name,
      spend: Number(formatUsd(key.spentUnderCap)),
      max_budget: key.cap === undefined ? null : Number(formatUsd(key.cap)),
      budget_duration: DURATIONS[key.capPeriod ?? 'none'],
      expires: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
      models: key.restrictions.models ?? [],
      rpm_limit: key.limits.requestsPerMinute ?? null,
      tpm_limit: key.limits.tokensPerMinute ?? null,
      max_parallel_requests: key.limits.concurrent ?? null,
      user_id: null,
      team_id: String(key.account),
      metadata: {},
      blocked: false,
    },
  })
}

/** Windows of the same length, which begin anew at the same time. */
const DURATIONS = { none: null, day: '1d', week: '7d', month: '30d' } as const

export async function showModelInfo(incoming: ApiRequest, deps: UsageDependencies): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'chat', deps)
  return sendList(writtenList('litellm', caller, {}, deps.catalogue()), incoming)
}
