// A gateway's dependencies without store, sockets or clock, for tests of the journey. They record the calls of the ledger.

import { createTicker } from '@trivium/http/ticker.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { createAccountCipher } from '../src/access/secrets/account-cipher.ts'
import { compileCatalogue } from '../src/catalogue/catalogue.ts'
import { ALERT_DEFAULTS } from '../src/config/sections/alerts.ts'
import { NOTICES } from '../src/config/sections/notices/notices.ts'
import { SERVER_DEFAULTS } from '../src/config/sections/server.ts'
import { defaultsOf } from '../src/config/settings/setting.ts'
import type { FileConfig, Upstream } from '../src/config/types.ts'
import { standardEndpoint } from '../src/config/upstream-kinds.ts'
import type { AppDependencies } from '../src/handler.ts'
import type { ModelOf } from '../src/modalities/index.ts'
import { NO_LIMITS } from '../src/money/limits.ts'
import { countErrors } from '../src/observe/error-counts.ts'
import { createLatencies } from '../src/observe/latency-buckets.ts'
import type { Log } from '../src/observe/log.ts'
import { createMetrics } from '../src/observe/metrics/names.ts'
import { measureUpstreams } from '../src/observe/metrics/upstream-measures.ts'
import { countRejectedRequests } from '../src/observe/rejected-requests.ts'
import { createApiDocuments } from '../src/openapi/serve-documents.ts'
import { createQueues } from '../src/overload/queues.ts'
import { createRateLimitCache } from '../src/overload/rate-limit-cache.ts'
import { createReads } from '../src/overload/reads/reads.ts'
import { createUnsentResponses } from '../src/overload/unsent-responses.ts'
import { createClaimLimit } from '../src/paid-call/claim-limit.ts'
import { createFreeAborts } from '../src/paid-call/free-aborts.ts'
import { STREAM_TIMING, type StreamTiming } from '../src/paid-call/writing/stream-timing.ts'
import { createIds } from '../src/request/ids.ts'
import type { EndObserver, Settled } from '../src/storage/node/settler.ts'
import type { Caller } from '../src/storage/storage.ts'
import { createStatistics } from '../src/text/billing/model-statistics.ts'
import { createSeals } from '../src/text/translation/seals.ts'
import { createUnsupportedFields } from '../src/text/translation/unsupported-fields.ts'
import { createRetryBudget } from '../src/upstreams/health/retry-budget.ts'
import type { Send } from '../src/upstreams/send.ts'
import { createUpstreamCalls } from '../src/upstreams/upstream-call.ts'

const NO_FREE_CALL_LIMIT = { take: () => undefined, full: () => undefined, weigh: () => {} }

export type TestOptions = {
  send: Send
  bodyIdleMs?: number
  streamTiming?: StreamTiming
  timeouts?: Partial<Upstream['timeouts']>
  /** The upstream's dialect; chat by default. */
  dialect?: TextDialectId
  /** How long responses are stored for repeated requests; not stored by default. */
  idempotencyMs?: number
  /** Limits of admission control; few by default. */
  limits?: { inFlight: number; memoryBytes: number }
}

const FEW = { inFlight: 10, memoryBytes: 1024 * 1024 }

/** How a request was settled. */
export type End = { cost: bigint; outcome: string }

export const TEST_CALLER: Caller = {
  account: 1n,
  key: 1n,
  group: 'default',
  groupChosenBy: undefined,
  isRestricted: false,
  ownSince: undefined,
  deleted: false,
  accountDisabled: false,
  makerDisabled: false,
  disabledReason: '',
  expiresAt: undefined,
  revision: 1,
  restrictions: { models: undefined, networks: undefined },
  limits: NO_LIMITS,
  accountLimits: NO_LIMITS,
}

export function createTestDependencies({
  send,
  timeouts,
  dialect = 'chat',
  idempotencyMs,
  limits = FEW,
  ...more
}: TestOptions) {
  const ends: End[] = []
  const logged: string[] = []
  const ticker = createTicker(5)
  const log: Log = {
    info: () => {},
    warn: (message) => void logged.push(message),
    error: (message) => void logged.push(message),
  }
  const waiting = createQueues(limits, ticker, log)
  const config = testConfig(timeouts, dialect)
  const retention = { ...config.retention, idempotency: idempotencyMs ?? ('off' as const) }
  const catalogue = compileCatalogue({ ...config, retention }, 0)
  const end = async (cost: bigint, outcome: string, observer?: EndObserver): Promise<Settled> => {
    ends.push({ cost, outcome })
    const settled = { charged: cost, spooled: false }
    observer?.(settled)
    return settled
  }
  const unused = (): never => {
    throw new Error('not a part of this test')
  }
  const deps: AppDependencies = {
    catalogue: () => catalogue,
    ticker,
    send,
    streamTiming: STREAM_TIMING,
    ...more,
    outageLog: log,
    metrics: createMetrics(),
    credentials: { of: unused, keepFor: async () => {} },
    journal: { pending: () => 0 },
    scrape: { text: async () => '' },
    budgets: { applying: () => undefined, reached: () => undefined, noteRejection: () => {}, refresh: async () => {} },
    nameChecks: { privateAmong: async () => new Set(), isPrivate: async () => false },
    storedReads: { enter: unused },
    storedReadLimit: NO_FREE_CALL_LIMIT,
    reads: createReads({ slots: waiting.readSlots, clock: Date.now, admission: waiting.admission }),
    audioDurations: { measure: async () => undefined, close: () => {} },
    tokenizer: { count: async () => ({ tokens: 0, isEstimate: true }), isRunning: false, close: () => {} },
    freeCallLimit: NO_FREE_CALL_LIMIT,
    freeRequests: NO_FREE_CALL_LIMIT,
    claimLimit: createClaimLimit(Date.now),
    absentEndpoints: { has: () => false, note: () => {} },
    settler: {
      begin: unused,
      open: async ({ amount, tokens }) => ({
        verdict: 'open',
        request: {
          granted: amount,
          grantedTokens: tokens,
          held: amount,
          heldTokens: tokens,
          output: () => 'deliver',
          raise: () => 'deliver',
          settle: (cost, _tokens, outcome, _receipt, _by, observer) => end(cost, outcome, observer),
          void: (outcome, _receipt, observer) => end(0n, outcome, observer),
        },
      }),
    },
    store: {
      contents: { claim: unused, find: unused, keep: unused, forget: unused, sweep: unused },
      ledger: {
        apply: unused,
        submit: unused,
        findRequest: unused,
        requestOfAny: unused,
        usage: unused,
        clearReceipts: unused,
        foldFreeRequests: unused,
        removeTaskLeases: unused,
        openTaskHolds: unused,
        totals: unused,
        audit: unused,
      },
      spending: { requests: unused },
      members: { standing: unused },
      keys: {
        create: unused,
        createWithin: unused,
        list: unused,
        countByGroup: unused,
        countMadeBy: unused,
        delete: unused,
        setTerms: unused,
        findWithAccount: unused,
        findCaller: unused,
        callerOf: unused,
        changeCounter: unused,
        page: unused,
        names: unused,
        withLastFour: unused,
        playground: unused,
        rotate: unused,
      },
      leases: { acquire: unused, renew: unused, release: unused },
      reasoning: { put: async () => {}, find: unused, findWithin: async () => new Map(), sweep: unused },
      responses: {
        put: async () => true,
        find: unused,
        chain: unused,
        chainLengths: unused,
        length: unused,
        record: unused,
        stored: unused,
        several: unused,
        turn: unused,
        withItems: unused,
        bytesWithItems: unused,
        hide: unused,
        sweep: unused,
      },
      tasks: {
        insert: unused,
        find: unused,
        existing: unused,
        versions: unused,
        open: unused,
        unfinished: unused,
        durations: unused,
        list: unused,
        page: unused,
        update: unused,
        claimDue: unused,
        renew: unused,
        releaseClaims: unused,
        remove: unused,
        sweep: unused,
      },
    },
    node: {
      identity: () => ({ nodeId: 0, epoch: 1 }),
      mayDispatch: () => true,
      commitsLostAt: () => undefined,
    },
    callers: { find: () => TEST_CALLER, refresh: () => TEST_CALLER, clear: () => {} },
    rateLimitCache: createRateLimitCache(() => 0),
    clock: Date.now,
    ids: createIds(() => 0, Date.now),
    statistics: createStatistics(),
    latencies: createLatencies(),
    errorCounts: countErrors(Date.now),
    upstreamMeasures: measureUpstreams((key) => key),
    rejectedRequests: countRejectedRequests(Date.now),
    freeAborts: createFreeAborts(() => 0),
    ...waiting,
    upstreamCalls: createUpstreamCalls(ticker, waiting.upstreamQueue.freed),
    log,
    observers: [],
    retryBudget: createRetryBudget(),
    random: () => 0,
    fetchPublic: unused,
    downloadPublic: unused,
    postPublic: unused,
    embedded: unused,
    taskHolder: 'a test',
    taskDeletes: { count: () => {}, run: (_, cancel) => cancel() },
    seals: createSeals('a secret of a test'),
    secrets: { current: 'a secret of a test', accepted: ['a secret of a test'] },
    accountCipher: createAccountCipher('a secret of a test'),
    unsupportedFields: createUnsupportedFields(),
    consoleApi: unused,
    adminApi: unused,
    apiDocuments: createApiDocuments(() => true),
    consoleFiles: { prepare: () => {}, serve: () => Promise.reject(new Error('no console')) },
    mediaStore: { put: unused, find: unused, read: unused, remove: unused, sweep: unused },
    mediaReads: { begin: unused },
    unsentResponses: createUnsentResponses(() => 1024 * 1024),
    signedUrls: { sign: unused, verify: unused, isFor: unused },
    spool: { usedBytes: 0, open: unused, close: unused },
    offerGatewayTool: () => undefined,
    defer: unused,
    runningResponses: new Map(),
    responseNews: { next: unused, tell: () => {} },
    followers: { take: unused },
  }
  return { deps, ends, logged }
}

function testConfig(timeouts: TestOptions['timeouts'], dialect: TextDialectId): FileConfig {
  const upstream: Upstream = {
    id: 'own',
    kind: 'custom',
    dialect,
    baseUrl: 'http://own.invalid/v1',
    keys: ['k'],
    endpoints: [standardEndpoint(dialect)],
    timeouts: { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000, ...timeouts },
    maxConcurrency: undefined,
    proxy: undefined,
    allowPrivate: false,
    sharedObjects: false,
    billsOnAbort: 'nothing',
  }
  const price = { input: 1_000_000_000n, output: 4_000_000_000n, cachedInput: 0n, cacheWrite: 0n }
  const route = { upstream: 'own', model: 'same', priority: 1, weight: 1, cost: undefined }
  const model: ModelOf<'text'> = {
    id: 'same',
    type: 'text',
    routes: [route],
    price,
    priceVersion: 'v',
    limits: { context: undefined, maxOutput: undefined },
  }
  const MIB = 1024 * 1024
  const memory = { bodyBytes: MIB, values: 1_000, inFlight: 10, memoryBytes: MIB }
  const limits = { ...SERVER_DEFAULTS.limits, ...memory, uploadBytes: MIB, spoolBytes: MIB }
  return {
    server: {
      publicUrl: undefined,
      tls: undefined,
      trustedProxies: [],
      limits,
      drainMs: 0,
      showUpstreams: false,
      logAddresses: 'full',
      admin: true,
      adminNetworks: [],
      metricsToken: undefined,
    },
    registration: {
      open: true,
      trialCredit: 0n,
      trialBudgetPerDay: 0n,
      accountsPerNetworkPerDay: 10,
      keepSandboxCredit: false,
    },
    sandbox: { on: false, faults: false, faultsWritten: false },
    archive: { afterMonths: 'off', to: 'media' },
    retention: {
      responses: 'off',
      reasoning: 'off',
      idempotency: 'off',
      requests: 'off',
      attribution: 'off',
      media: 'off',
      tasks: 1,
      audit: 'off',
    },
    attribution: { endUsers: 'hashed', requiredTags: [], allowedTags: [] },
    callbacks: { allowPrivate: false },
    compatibility: { litellm: false },
    alerts: ALERT_DEFAULTS,
    notices: defaultsOf(NOTICES),
    console: { name: 'Trivium', supportUrl: undefined },
    signIn: { providers: [], password: true, sessionAgeMs: 1, apiTokens: [] },
    upstreams: new Map([['own', upstream]]),
    models: new Map([['same', model]]),
    groups: new Map([['default', { id: 'default', models: ['*'], multiplierMillionths: 1_000_000n }]]),
    revision: 0,
    fileHash: '',
    hash: '',
    warnings: [],
  }
}
