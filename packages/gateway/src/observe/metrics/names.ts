// Every metric by name. The pages, the alert rules and the dashboard are compared with this table.

import { BUDGET_KINDS } from '../../money/budgets/budget.ts'
import { type Metric, Values } from './metric.ts'

type Given = Partial<Pick<Metric, 'labels' | 'known' | 'mostSeries' | 'merge' | 'usd' | 'buckets'>>

const metric =
  (kind: Metric['kind']) =>
  (name: string, help: string, given: Given = {}): Metric => ({
    name: `trivium_${name}`,
    kind,
    help,
    labels: given.labels ?? [],
    known: given.known ?? [],
    // Without labels there is one series.
    mostSeries: given.labels ? (given.mostSeries ?? 40) : 2,
    merge: given.merge ?? 'sum',
    usd: given.usd ?? false,
    buckets: given.buckets ?? [],
  })
const counter = metric('counter')
const gauge = metric('gauge')
const histogram = metric('histogram')

/** In seconds: from a rejected request to a long answer. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const SHORT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const BY_MODEL = ['model', 'upstream'] as const

/** The state of the whole database, which every process sees alike. */
const SAME: Given = { merge: 'max' }

export const METRICS = {
  build: gauge('build_info', 'Always 1; the version of the program.', { labels: ['version', 'bun'], merge: 'max' }),
  started: gauge('start_time_seconds', 'When the newest process started, in seconds since 1970.', SAME),
  processes: gauge('processes', 'Processes whose figures are added up here.'),
  ready: gauge('ready', 'Processes that take requests: see /ready.'),

  requests: counter('requests_total', 'Requests whose response has ended.', {
    labels: ['endpoint', 'modality', 'model', 'upstream', 'outcome', 'status'],
    mostSeries: 350,
  }),
  errors: counter('request_errors_total', 'Requests that were rejected or failed, by the code of their error.', {
    labels: ['code'],
    mostSeries: 100,
  }),
  budgetRejections: counter('budget_rejections_total', 'Requests that a hard budget rejected, by its kind.', {
    labels: ['kind'],
    known: BUDGET_KINDS,
    mostSeries: 9,
  }),
  duration: histogram('request_duration_seconds', 'From the arrival of a request to the last byte of its response.', {
    labels: ['endpoint'],
    mostSeries: 24,
    buckets: SECONDS,
  }),
  firstToken: histogram('first_token_seconds', 'From the arrival of a request to the first token of its response.', {
    labels: ['endpoint'],
    mostSeries: 10,
    buckets: SECONDS,
  }),
  queued: histogram('queue_seconds', 'How long requests waited in queues of the gateway.', { buckets: SECONDS }),
  shed: counter('shed_requests_total', 'Requests that an overloaded gateway rejected before it read them.'),
  largeSeconds: counter(
    'large_request_seconds_total',
    'Time of the main thread that large requests took, which is charged to the shares of their accounts.',
  ),
  largeHeld: counter(
    'large_requests_held_total',
    'Large requests whose account had used its share of the main thread.',
    {
      labels: ['result'],
      known: ['delayed', 'rejected'],
      mostSeries: 4,
    },
  ),
  malformed: counter(
    'malformed_requests_total',
    'Requests that were not valid HTTP, or whose head arrived too slowly.',
  ),
  queueLength: gauge('queued_requests', 'Requests that wait for a slot.'),
  running: gauge('running_requests', 'Requests that have a slot.'),

  tokens: counter(
    'tokens_total',
    'Tokens of requests with a receipt. Input includes cached, output includes reasoning.',
    {
      labels: ['model', 'type'],
      mostSeries: 200,
    },
  ),
  charged: counter('charged_usd_total', 'What requests were charged, as the ledger has it.', {
    labels: BY_MODEL,
    mostSeries: 100,
    usd: true,
  }),
  cost: counter('upstream_cost_usd_total', 'What requests cost upstream, for routes with a cost.', {
    labels: BY_MODEL,
    mostSeries: 100,
    usd: true,
  }),
  holds: gauge('open_holds', 'Open holds in the ledger.', SAME),
  heldUsd: gauge('held_usd', 'The sum of all open holds.', { merge: 'max', usd: true }),
  oldestHold: gauge('oldest_hold_seconds', 'The age of the oldest open hold.', SAME),
  shortfall: gauge('shortfall_usd', 'What requests cost beyond their hold and the balance of their account, in all.', {
    merge: 'max',
    usd: true,
  }),
  journal: gauge('journal_entries', 'Settlements that the database has not confirmed yet.'),
  lostCommits: counter('lost_commits_total', 'How often the database was found to lack commits that it had confirmed.'),
  tasks: gauge('tasks', 'Tasks with something left to do, by their state.', {
    labels: ['state'],
    mostSeries: 12,
    merge: 'max',
  }),

  upstreamState: gauge('upstream_available', '1 if an upstream is called, 0 while its circuit breaker is open.', {
    labels: ['upstream'],
    mostSeries: 100,
    merge: 'max',
  }),
  credentialLeft: gauge(
    'upstream_credential_expires_seconds',
    'How long the credential of an upstream is valid, in the process where it ends first; 0 if there is none.',
    { labels: ['upstream'], mostSeries: 40, merge: 'min' },
  ),
  limitUsed: gauge(
    'upstream_limit_used',
    'What is used of a limit of an upstream, or of a route of a model: 1 is all.',
    {
      labels: ['upstream', 'model', 'limit'],
      mostSeries: 40,
      merge: 'max',
    },
  ),
  attempts: counter('upstream_attempts_total', 'Calls of upstreams.', {
    labels: ['upstream', 'result'],
    mostSeries: 100,
  }),

  database: histogram('database_seconds', 'How long the database took to answer.', {
    labels: ['operation'],
    mostSeries: 10,
    buckets: SHORT_SECONDS,
  }),
  eventLoop: histogram('event_loop_delay_seconds', 'How late timers fire: how long the process was busy.', {
    buckets: SHORT_SECONDS,
  }),
  memory: gauge('resident_memory_bytes', 'Memory of all processes.'),
  cpu: counter('cpu_seconds_total', 'CPU time of all processes.'),
  connections: gauge('connections', 'Open connections of clients.'),
  jobs: counter('job_runs_total', 'Runs of background jobs.', { labels: ['job', 'result'], mostSeries: 80 }),
  signIns: counter('sign_ins_total', 'Attempts to sign in to the console.', {
    labels: ['result'],
    known: ['succeeded', 'second_factor_required', 'wrong_credentials', 'wrong_code', 'provider_failed'],
    mostSeries: 12,
  }),
  configuration: gauge('configuration_ok', '1 if the configuration file on disk is the one in force.', {
    merge: 'max',
  }),
  dropped: counter('dropped_spans_total', 'Spans of traces that the collector did not get.'),
} as const satisfies Record<string, Metric>

export type MetricId = keyof typeof METRICS
export type Metrics = Readonly<Record<MetricId, Values>>

export const createMetrics = (): Metrics =>
  Object.fromEntries(Object.entries(METRICS).map(([id, each]) => [id, new Values(each)])) as Metrics
