// The built-in key of the playground. Requests of the playground go through the gateway's ordinary endpoints with its secret, which is
// derived from the master secret, the account and the person, so that it is neither stored nor ever sent to a browser.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { hashSecret } from '../../access/authenticate.ts'
import { groupsFor } from '../../catalogue/offered-groups.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { formatUsd, NANOS_PER_USD } from '../../money/amount.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import { keyRows } from '../../operate/key-rows.ts'
import { audited, fingerprint } from '../../operate/operation.ts'
import { KEY } from '../../operate/resources/keys.ts'
import { type Key, NO_RESTRICTIONS, type SignedIn } from '../../storage/storage.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { holderContext, route } from '../route.ts'

const CAP = 5n * NANOS_PER_USD
const NAME = 'Playground'

type Holding = Pick<SignedIn, 'account' | 'person'>

const playgroundSecret = ({ account, person }: Holding, { accountCipher }: ConsoleDependencies): string =>
  `sk-${accountCipher.pseudonym(account.id, 'playground', `secret of the built-in key of person ${person.id}`)}`

/** The person's built-in key in the account, created at its first use. */
async function playgroundKey(call: SignedInCall<unknown>, deps: ConsoleDependencies): Promise<Key> {
  const { account, person } = call
  const present = await deps.store.keys.playground(account.id, person.id)
  if (present) return await withSecret(present, call, deps)
  const groups = groupsFor(deps.catalogue().config, await deps.store.accounts.holder(account.id))
  const group = groups.find(({ id }) => id === DEFAULT_GROUP) ?? groups[0]
  if (!group)
    throw new ApiRejection({
      code: 'unknown_group',
      message: 'No group of models is open to your account. Ask the operator of this gateway.',
    })
  const secret = playgroundSecret({ account, person }, deps)
  const key = {
    account: account.id,
    person: person.id,
    hash: hashSecret(secret),
    lastFour: secret.slice(-4),
    purpose: 'playground' as const,
    madeBy: person.isProved ? ('console' as const) : ('sign-up' as const),
  }
  const terms = {
    expiresAt: undefined,
    cap: CAP,
    capPeriod: 'month' as const,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
  }
  const after = { name: NAME, group: group.id, cap_usd: formatUsd(CAP), secret: fingerprint(key.hash) }
  const { keys } = audited(holderContext(call, deps), 'key create', { object: { key: key.hash }, after })
  return await keys.create({ ...key, ...terms, name: NAME, group: group.id })
}

/** After a rotation of the master secret the key gets the secret that follows from the new one; the former one works for a while. */
async function withSecret(key: Key, call: SignedInCall<unknown>, deps: ConsoleDependencies): Promise<Key> {
  const secret = playgroundSecret(call, deps)
  const hash = hashSecret(secret)
  if (key.deleted || (await deps.store.keys.findCaller(hash)) !== undefined) return key
  const formerUntil = deps.clock() + FORMER_MS
  const entry = { object: `key/${key.id}`, after: { secret: fingerprint(hash) } }
  const { keys } = audited(holderContext(call, deps), 'key rotate', entry)
  await keys.rotate(key.id, { hash, lastFour: secret.slice(-4), formerUntil, person: call.person.id })
  return key
}

/** Until all nodes have the new master secret in force. */
const FORMER_MS = 3_600_000

/** The endpoints that the playground uses; ids of tasks follow the last one. */
const ENDPOINTS = [
  'v1/chat/completions',
  'v1/completions',
  'v1/responses',
  'v1/images/generations',
  'v1/images/edits',
  'v1/embeddings',
  'v1/audio/speech',
  'v1/audio/transcriptions',
]
const TASKS = 'api/v3/contents/generations/tasks'
const ONE_TASK = new RegExp(`^${TASKS}/[\\w-]+$`)
const isEndpoint = (path: string): boolean => ENDPOINTS.includes(path) || path === TASKS || ONE_TASK.test(path)

/** The request goes through the gateway's own endpoint, with all of its limits, and is billed to the built-in key. */
async function forwardToGateway(
  call: SignedInCall<unknown, unknown, { path: string }>,
  deps: ConsoleDependencies,
): Promise<HttpResponse> {
  const { path } = call.parameters
  if (!isEndpoint(path))
    throw new ApiRejection({ code: 'not_found', message: 'The playground does not use this endpoint.' })
  await playgroundKey(call, deps)
  const target = call.incoming.query === '' ? `/${path}` : `/${path}?${call.incoming.query}`
  call.incoming.record.isForwarded = true
  const response = await call.gateway(forwardedRequest(call.http, target, playgroundSecret(call, deps)))
  // The endpoint's response has headers of its own. The session's cookie, which this request may have renewed, must reach the browser.
  for (const cookie of call.headers.getAll('set-cookie')) response.headers.append('set-cookie', cookie)
  return response
}

/** The headers of the browser that the endpoints read. */
const PASSED_ON = [
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'accept',
  'idempotency-key',
  'x-forwarded-for',
  'forwarded',
  'user-agent',
]

/** With the credential of the account's built-in key instead of the browser's cookie. */
function forwardedRequest(http: HttpRequest, target: string, secret: string): HttpRequest {
  const own: Readonly<Record<string, string>> = { authorization: `Bearer ${secret}` }
  const isPassedOn = (name: string) => PASSED_ON.includes(name)
  return {
    method: http.method,
    target,
    body: http.body,
    queuedMs: http.queuedMs,
    headers: {
      get: (name) => own[name] ?? (isPassedOn(name) ? http.headers.get(name) : null),
      getAll: (name) => (own[name] !== undefined ? [own[name]] : isPassedOn(name) ? http.headers.getAll(name) : []),
    },
    address: () => http.address(),
    get isDisconnected() {
      return http.isDisconnected
    },
    get onDisconnect() {
      return http.onDisconnect
    },
    set onDisconnect(run) {
      http.onDisconnect = run
    },
  }
}

export const showPlaygroundKey = route(
  'GET playground/key',
  { policy: 'member', summary: 'Shows the built-in key', output: KEY },
  async (call, deps) => {
    const [row] = await keyRows(call.account.id, [await playgroundKey(call, deps)], deps.store, true)
    if (!row) throw new Error('the built-in key has no row')
    return row
  },
)

const FORWARDED = {
  policy: 'member',
  summary: "The same request to the gateway's own endpoint, billed to the built-in key",
  output: 'forwarded',
} as const
const CHAT = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

export const postToGateway = route(
  'POST playground/{path...}',
  { ...FORWARDED, body: 'forwarded', example: CHAT },
  forwardToGateway,
)
export const getFromGateway = route('GET playground/{path...}', FORWARDED, forwardToGateway)
export const deleteAtGateway = route('DELETE playground/{path...}', { ...FORWARDED, status: 204 }, forwardToGateway)
