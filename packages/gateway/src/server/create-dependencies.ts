// Creates what requests depend on, with the clocks, the store and the sandbox of this process.
import { join } from 'node:path'
import { isLoopback } from '@trivium/http/addresses/client-address.ts'
import { descriptorLimit, maxIdleUpstreamConnections } from '@trivium/http/system/descriptors.ts'
import { createTicker } from '@trivium/http/ticker.ts'
import { createSandbox } from '@trivium/sandbox/handler.ts'
import { createCallers, timedLookups } from '../access/authenticate.ts'
import { openCompanyTokens } from '../access/company-tokens/open.ts'
import { contactText } from '../access/contact.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { createDeferral } from '../background/defer.ts'
import type { BackgroundDependencies } from '../background/dependencies.ts'
import { createFollowers } from '../background/follow.ts'
import { createResponseNews } from '../background/news.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { CommandError } from '../cli/errors.ts'
import { describeSystemError } from '../config/system-error.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import { createStoredReads } from '../conversations/stored-reads.ts'
import type { GatewayDependencies } from '../handler.ts'
import { createImageTool } from '../image-tool/offer.ts'
import { createAudioDurations } from '../media/audio/audio-durations.ts'
import { createLargeResponses } from '../media/large-responses.ts'
import { openMedia } from '../media/open-media.ts'
import { formatUsd } from '../money/amount.ts'
import { countErrors } from '../observe/error-counts.ts'
import { createLatencies } from '../observe/latency-buckets.ts'
import { errorText, type Log } from '../observe/log.ts'
import type { Logs } from '../observe/logs.ts'
import type { Metrics } from '../observe/metrics/names.ts'
import { observeRequests } from '../observe/metrics/request-metrics.ts'
import { measureUpstreams } from '../observe/metrics/upstream-measures.ts'
import { oncePerSecond } from '../observe/once-per-second.ts'
import { countRejectedRequests } from '../observe/rejected-requests.ts'
import { tellAll } from '../observe/request-observer.ts'
import { openTracer } from '../observe/traces/tracer.ts'
import { secretFingerprint } from '../operate/configuration/secrets.ts'
import { createFreeCallLimit } from '../overload/free-call-limit.ts'
import { createQueues } from '../overload/queues.ts'
import { createRateLimitCache } from '../overload/rate-limit-cache.ts'
import { createReads } from '../overload/reads/reads.ts'
import { createUnsentResponses } from '../overload/unsent-responses.ts'
import { createBudgetLists } from '../paid-call/budgets/budget-lists.ts'
import { createClaimLimit } from '../paid-call/claim-limit.ts'
import { createFreeAborts } from '../paid-call/free-aborts.ts'
import { STREAM_TIMING } from '../paid-call/writing/stream-timing.ts'
import type { Cleanup } from '../process/cleanup.ts'
import { createIds, formatRequestId } from '../request/ids.ts'
import { masterSecrets } from '../startup/master-secret.ts'
import { openJournal } from '../storage/node/journal.ts'
import { LedgerCounts } from '../storage/node/ledger-counts.ts'
import { type TaskHold, voidLostTaskHolds } from '../storage/node/lost-task-holds.ts'
import { joinNode } from '../storage/node/node.ts'
import { createSettler } from '../storage/node/settler.ts'
import { type Storage, StoreDown } from '../storage/storage.ts'
import { createTaskDeletes } from '../tasks/task-deletes.ts'
import { createStatistics } from '../text/billing/model-statistics.ts'
import { createSeals } from '../text/translation/seals.ts'
import { createUnsupportedFields } from '../text/translation/unsupported-fields.ts'
import { createAbsentEndpoints } from '../token-counting/absent-endpoints.ts'
import { createTokenizer } from '../token-counting/tokenizer.ts'
import { createCredentials } from '../upstreams/credentials/index.ts'
import { createSourceTools } from '../upstreams/credentials/sources/tools.ts'
import { createRetryBudget } from '../upstreams/health/retry-budget.ts'
import { downloadPublic } from '../upstreams/public/download-public.ts'
import { fetchPublic } from '../upstreams/public/fetch-public.ts'
import { createNameChecks } from '../upstreams/public/name-checks.ts'
import { postPublic } from '../upstreams/public/post-public.ts'
import { createSend } from '../upstreams/send.ts'
import { createUpstreamCalls } from '../upstreams/upstream-call.ts'

const TICK_MS = 250
/** For an account without a limit of requests per minute. */
const MOST_STORED_READS_PER_MINUTE = 600

export async function createDependencies(
  environment: Environment,
  opened: Storage,
  catalogue: () => Catalogue,
  { log, observers: logObservers }: Logs,
  metrics: Metrics,
  cleanup: Cleanup,
  listenUrl: () => string,
  storeFailed: () => void,
): Promise<GatewayDependencies> {
  const counts = new LedgerCounts(metrics)
  const storage = { ...opened, ledger: counts.over(opened.ledger) }
  const ticker = createTicker(TICK_MS, {
    failed: (error, others) => log.error('timer callback failed', { error: errorText(error), others }),
  })
  // Store calls are frequent, and nearly all of them finish before their timeout: only short delays get a timer of their own.
  const after = (ms: number, run: () => void) => {
    if (ms >= 2 * TICK_MS) return ticker.after(ms, run)
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const monotonic = () => performance.now()
  const report = (message: string, error?: unknown) =>
    log.warn(message, error === undefined ? {} : { error: String(error) })
  const folder = join(environment.dataDir, 'journal')
  const journal = await openJournal(folder).catch((error) => {
    throw new CommandError(`cannot use the folder ${folder}: ${describeSystemError(error)}`)
  })
  const isSqlite = environment.databaseUrl === undefined
  const node = await joinNode(storage.ledger, journal, {
    maxNodes: isSqlite ? 1 : 1024,
    takeover: isSqlite,
    monotonic,
    after,
    report,
    config: () => fingerprintOf(catalogue().config),
    commitsLost() {
      log.error('the database has lost commits that it had confirmed: charges of the last moments may be missing')
      metrics.lostCommits.add(1)
    },
  })
  const rateLimitCache = createRateLimitCache(monotonic)
  const callers = createCallers(timedLookups(storage.keys, after), Date.now, {
    onClear: rateLimitCache.clear,
    contact: () => contactText(catalogue().config),
    tokens: openCompanyTokens({ config: () => catalogue().config, storage, after, log }),
  })
  const budgets = createBudgetLists({ budgets: storage.budgets, log, metrics, clock: Date.now })
  await budgets.refresh()
  // Other processes poll the change counter; what this one changes takes effect at once.
  storage.onChange(() => {
    callers.clear()
    // One that fails is read again soon: jobs/poll-changes.ts.
    budgets.refresh().catch(() => {})
  })
  const rejectedRequests = countRejectedRequests(Date.now)
  const errorCounts = countErrors(Date.now)
  const tracer = environment.traces && openTracer(environment.traces, log, (spans) => metrics.dropped.add(spans))
  // Cleanup runs in reverse order: after all requests have ended.
  if (tracer) cleanup.add(() => tracer.close())
  const upstreamMeasures = measureUpstreams((key) => secretFingerprint(key, accountCipher))
  const counters = [rejectedRequests, errorCounts, upstreamMeasures, observeRequests(metrics, () => catalogue().config)]
  const observers = [...logObservers, ...counters, ...(tracer ? [tracer] : [])]
  const queues = createQueues(catalogue().config.server.limits, ticker, log, tellAll(observers).shed)
  // Only this process calls them: a key would protect nothing, and downloads of videos carry none.
  const sandbox = createSandbox({ faults: false, key: 'none' })
  const faultySandbox = createSandbox({ faults: true, key: 'none' })
  // Cleanup runs in reverse order: leaving the cluster needs the ticker for its timeouts.
  cleanup.add(
    () => ticker.stop(),
    () => journal.close(),
    () => node.leave(),
  )
  const secrets = await masterSecrets(storage, environment)
  if (secrets.current !== secrets.accepted[0])
    log.warn("the new master secret is not in force yet: run 'trivium secret rotate' once all servers accept both")
  const accountCipher = createAccountCipher(secrets)
  const media = await openMedia(environment, storage.media, {
    config: () => catalogue().config,
    masterSecret: secrets,
    accountCipher,
    listenUrl,
    clock: Date.now,
  }).catch((error) => {
    // The store names its file itself.
    if (error instanceof StoreDown) throw new CommandError(`cannot use the database: ${error.message}`)
    throw new CommandError(`cannot use the folder ${join(environment.dataDir, 'spool')}: ${describeSystemError(error)}`)
  })
  cleanup.add(() => media.spool.close())
  // On SQLite no other process looks after tasks: what the previous one was doing can be taken over.
  if (isSqlite) await storage.tasks.releaseClaims()
  const taskHolder = isSqlite ? 'the only process' : crypto.randomUUID()
  reportVoided(await voidLostTaskHolds(storage, taskHolder), log)
  const audioDurations = createAudioDurations()
  cleanup.add(() => audioDurations.close())
  const tokenizer = createTokenizer({ clock: monotonic, report })
  cleanup.add(() => tokenizer.close())
  const { mayDispatch, suspend: outcomeLost } = node
  const embedded = (request: Request) =>
    (faultsAllowed(environment, catalogue().config) ? faultySandbox : sandbox)(request)
  const credentials = createCredentials({
    now: Date.now,
    after,
    tools: createSourceTools(environment.clouds, { now: Date.now }),
    log,
  })
  const send = createSend(embedded, {
    credentials,
    now: ticker.now,
    maxIdle: maxIdleUpstreamConnections(descriptorLimit()),
    attempts: metrics.attempts,
    report: (upstream, code) => log.warn('HTTP/2 failed; using HTTP/1.1 for 10 minutes', { upstream, code }),
  })
  const runningResponses: BackgroundDependencies['runningResponses'] = new Map()
  const dependencies = {
    catalogue,
    node,
    callers,
    budgets,
    rateLimitCache,
    ticker,
    log,
    observers,
    tracer,
    metrics,
    journal,
    fetchPublic,
    store: storage,
    nameChecks: createNameChecks(ticker),
    settler: createSettler({
      storage: storage.ledger,
      counts,
      journal,
      clock: ticker,
      after,
      mayDispatch,
      outcomeLost,
      failed: storeFailed,
      ...(isSqlite ? {} : { ended: node.noteEnded }),
      report,
    }),
    seals: createSeals(secrets),
    secrets,
    accountCipher,
    ...media,
    largeResponses: createLargeResponses(media.mediaStore),
    clock: Date.now,
    ids: createIds(
      () => node.identity().nodeId,
      Date.now,
      (leadMs) =>
        log.warn('the clock was set back: receipts carry later times until it catches up', { lead_ms: leadMs }),
    ),
    statistics: createStatistics(),
    latencies: createLatencies(),
    rejectedRequests,
    errorCounts,
    upstreamMeasures,
    unsupportedFields: createUnsupportedFields(),
    tokenizer,
    audioDurations,
    freeCallLimit: createFreeCallLimit(Date.now),
    freeRequests: createFreeCallLimit(Date.now, {
      perMinute: () => catalogue().config.server.limits.freeRequestsPerMinute,
    }),
    claimLimit: createClaimLimit(Date.now),
    absentEndpoints: createAbsentEndpoints(monotonic),
    storedReads: createStoredReads(() => catalogue().config.server.limits.memoryBytes),
    storedReadLimit: createFreeCallLimit(Date.now, { perMinute: () => MOST_STORED_READS_PER_MINUTE }),
    outageLog: oncePerSecond(log),
    freeAborts: createFreeAborts(monotonic),
    reads: createReads({ slots: queues.readSlots, clock: Date.now, admission: queues.admission }),
    ...queues,
    upstreamCalls: createUpstreamCalls(ticker, queues.upstreamQueue.freed),
    unsentResponses: createUnsentResponses(() => catalogue().config.server.limits.memoryBytes),
    retryBudget: createRetryBudget(),
    embedded,
    downloadPublic,
    postPublic,
    taskHolder,
    taskDeletes: createTaskDeletes(Date.now),
    send,
    credentials,
    random: Math.random,
    streamTiming: STREAM_TIMING,
    runningResponses,
    responseNews: createResponseNews(storage, (id) => runningResponses.has(id)),
    followers: createFollowers(),
  }
  return {
    ...dependencies,
    offerGatewayTool: createImageTool(dependencies),
    defer: createDeferral(dependencies),
  }
}

/** All of them are in the ledger; the log names the first. */
const MOST_NAMED = 20

function reportVoided(holds: readonly TaskHold[], log: Log): void {
  for (const { id, held } of holds.slice(0, MOST_NAMED))
    log.error('a video task does not exist any more; its hold is voided', {
      request: formatRequestId(id),
      held_usd: formatUsd(held),
    })
  if (holds.length > MOST_NAMED)
    log.error('video tasks do not exist any more; their holds are voided', { tasks: holds.length })
}

/** As nodes publish it: a change of a secret alone has the same hash, and another revision. */
const fingerprintOf = ({ hash, revision }: FileConfig): string => (revision === 0 ? hash : `${hash} ${revision}`)

/** Faults break responses on purpose: allowed if the file says so, or if only this machine can reach only the sandbox. */
function faultsAllowed({ host }: Environment, { sandbox, upstreams }: FileConfig): boolean {
  if (sandbox.faultsWritten) return sandbox.faults
  return [...upstreams.values()].every(({ embedded }) => embedded) && (host === 'localhost' || isLoopback(host))
}
