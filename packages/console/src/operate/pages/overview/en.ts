const listed = (names: readonly string[]): string => names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '')

type Need = { count?: number; detail: string | null }

/** What needs an operator: of one, or of several of the same kind. */
const needs: Readonly<Record<string, (names: readonly string[], first: Need) => string>> = {
  audit_failed: () => 'The last ledger audit found errors',
  upstream_down: (names) =>
    names.length === 1 ? `Upstream ${names[0]} is down` : `${names.length} upstreams are down: ${listed(names)}`,
  upstream_key_rejected: (names) =>
    names.length === 1
      ? `Upstream ${names[0]} rejects a key`
      : `${names.length} upstream keys are rejected: ${listed(names)}`,
  upstream_failing: (names, { count = 0, detail }) =>
    names.length === 1
      ? `${names[0]}: the last ${count} calls failed${detail === null ? '' : ` (${detail})`}`
      : `The last calls of ${names.length} upstreams failed: ${listed(names)}`,
  no_upstream: () => 'No upstream is connected: only sandbox models respond',
  model_without_price: (names) =>
    names.length === 1
      ? `Model ${names[0]} has no price, so nobody can use it`
      : `${names.length} models have no price, so nobody can use them: ${listed(names)}`,
  model_without_route: (names) =>
    names.length === 1 ? `Model ${names[0]} has no route` : `${names.length} models have no route: ${listed(names)}`,
  entry_invalid: (names) =>
    names.length === 1
      ? `The stored entry ${names[0]} has a mistake and is not in effect`
      : `${names.length} stored entries have mistakes and are not in effect: ${listed(names)}`,
  entry_shadowed: (names) =>
    names.length === 1
      ? `The stored entry ${names[0]} is overridden by the file`
      : `${names.length} stored entries are overridden by the file: ${listed(names)}`,
  node_not_ready: (names) =>
    names.length === 1 ? `Node ${names[0]} is not ready` : `${names.length} nodes are not ready: ${listed(names)}`,
  node_drift: (names) =>
    names.length === 1
      ? `Node ${names[0]} has a different configuration from the others`
      : `${names.length} nodes differ in their configuration: ${listed(names)}`,
  job_failing: (names) =>
    names.length === 1 ? `The job "${names[0]}" is failing` : `${names.length} jobs are failing: ${listed(names)}`,
}

export const overview = {
  title: 'Overview',
  range: 'Period',
  ranges: { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' },
  needs: {
    title: 'Needs attention',
    none: 'Nothing needs attention.',
    kinds: needs,
    acts: {
      audit_failed: 'Open the ledger',
      upstream_down: 'See why',
      upstream_key_rejected: 'Replace the key',
      upstream_failing: 'See why',
      no_upstream: 'Add an upstream',
      model_without_price: 'Set a price',
      model_without_route: 'Add a route',
      alert: 'Open alerts',
      entry_invalid: 'Fix it',
      entry_shadowed: 'Compare',
      node_not_ready: 'Open System',
      node_drift: 'Open System',
      job_failing: 'Open System',
    } as Readonly<Record<string, string>>,
    more: (count: number) => `${count} more`,
  },
  figures: {
    requests: 'Requests',
    errors: 'Error rate',
    firstToken: 'First token, p50 / p95',
    charged: 'Charged',
    margin: 'Margin',
    marginAtMost: 'Margin, at most',
    unknown: (count: string) => `${count} requests with unknown cost`,
    failed: (count: string) => `${count} failed`,
    lastWeek: (value: string) => `Same time last week: ${value}`,
    noLastWeek: 'No requests at this time last week',
  },
  chart: {
    title: 'Outcomes',
    unit: 'Requests by outcome',
    empty: 'No requests in this period',
    others: 'Other outcomes',
    ticks: 'Changes and alerts in this period',
    revision: (number: string) => `Revision ${number}`,
    alert: 'Alert',
  },
  upstreams: {
    title: 'Upstreams',
    none: 'No upstream is configured.',
    states: {
      ready: 'Healthy',
      degraded: 'Degraded',
      down: 'Failing',
      unknown: 'Unknown',
      draining: 'Draining',
      disabled: 'Disabled',
    },
    share: 'Traffic',
    errors: 'Errors',
    p95: 'p95',
    cost: 'Cost',
    costAtLeast: 'Cost, at least',
    charged: 'Charged',
    noTraffic: 'No traffic',
  },
  top: {
    accounts: 'Top accounts',
    models: 'Top models',
    errors: 'Top errors',
    account: 'Account',
    model: 'Model',
    code: 'Code',
    requests: 'Requests',
    charged: 'Charged',
    none: 'None in this period',
    count: 'Count',
    deleted: 'Deleted account',
  },
}
