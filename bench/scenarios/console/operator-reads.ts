// What the operators' pages read from the admin API, each as its page asks for it.
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const KEY_VIEWS = ['', '&never_used=true', '&has_cap=false', '&has_expiry=false', '&cap_used_percent=90']
const REQUEST_FILTERS = [
  'account=77',
  'key=90001',
  'model=model-9',
  'model=nothing',
  'upstream=spare',
  'outcome=errors',
  'outcome=cancelled',
  'status=200',
  'status=504',
  'error_code=upstream_timeout',
  'unknown_cost=true',
  'account=77&outcome=errors',
]
/** The same words as in filled stores: the end of a key is any of four hexadecimal digits. */
const SOUGHT = [
  'user-99@example.com',
  'user-9999@',
  'user-77',
  'nothing',
  '77',
  '00ff',
  'sk-tr-none00ff',
  'model-3',
  'NONE-00FF',
]

export function operatorReads(now: number): string[] {
  const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString())
  const startOf = (ms: number, step: number) => ms - (ms % step)
  const [today, hour] = [startOf(now, DAY_MS), startOf(now, HOUR_MS)]
  const [tomorrow, nextHour] = [today + DAY_MS, hour + HOUR_MS]
  const between = (from: number, to: number) => `from=${iso(from)}&to=${iso(to)}`
  const month = between(today - 29 * DAY_MS, tomorrow)
  const week = between(today - 6 * DAY_MS, tomorrow)
  const earlier = between(today - 59 * DAY_MS, today - 29 * DAY_MS)
  const lastDay = `from=${iso(nextHour - DAY_MS)}`
  const sorted = (by: string, sort = '-charged') => `usage?${month}&group_by=${by}&sort=${sort}&limit=100`
  return [
    ...['1h', '24h', '7d'].map((range) => `overview?range=${range}`),
    ...SOUGHT.map((q) => `search?q=${encodeURIComponent(q)}`),
    `requests?${lastDay}&limit=50`,
    `requests?${week}&limit=50`,
    ...REQUEST_FILTERS.flatMap((filter) => [lastDay, week].map((range) => `requests?${filter}&${range}&limit=50`)),
    `usage?group_by=outcome,hour&${between(nextHour - DAY_MS, hour - HOUR_MS)}&limit=1000`,
    `usage?group_by=outcome,hour&${between(hour - HOUR_MS, nextHour)}&limit=1000`,
    `usage?group_by=outcome,hour&${between(hour - 2 * DAY_MS, hour)}&limit=1000`,
    `usage?group_by=outcome,hour&${between(nextHour - DAY_MS, nextHour)}&account=77&limit=1000`,
    `usage?group_by=outcome,hour&${between(nextHour - DAY_MS, nextHour)}&key=90001&limit=1000`,
    `usage?group_by=outcome,day&${month}&limit=1000`,
    `rejected-requests?${lastDay}`,
    `rejected-requests?error_code=nothing&${lastDay}`,
    `rejected-requests?key=90001&${week}`,
    ...[
      'order=newest',
      'order=newest&state=active',
      'order=newest&state=disabled',
      'search=ser-99',
      'search=nothing',
    ].map((filter) => `accounts?${filter}`),
    ...['accounts/77', 'accounts/77/notes', 'accounts/77/members', 'keys?account=77', 'requests?account=77'],
    ...KEY_VIEWS.map((view) => `keys?state=active${view}`),
    `keys?state=active&unused_since=${iso(today - 90 * DAY_MS)}`,
    ...['keys?state=active&search=00ff', 'keys?state=active&search=key%20777', 'keys?state=active&search=nothing'],
    ...['keys?last_four=00ff', 'keys?state=active&group=trial', 'codes/batches', 'codes?label=batch%207'],
    // Usage and Margin: the sums of the period and of the one before, its days, and its groups.
    ...['', '&account=77', '&key=90001', '&model=model-3', '&upstream=spare', '&outcome=failed'].map(
      (filter) => `usage?${month}${filter}`,
    ),
    `usage?${earlier}`,
    `usage?${month}&group_by=day&limit=1000`,
    `usage?${lastDay}&group_by=hour&limit=1000`,
    ...['account', 'key', 'model', 'upstream', 'outcome', 'account,model', 'key,model'].map((by) => sorted(by)),
    ...['account', 'key', 'model', 'upstream'].map((by) => sorted(by, 'margin')),
    `usage?${lastDay}&group_by=account&sort=-charged&limit=100`,
    `usage?group_by=upstream&from=${iso(today - 30 * DAY_MS)}`,
    `usage?group_by=day&upstream=spare&from=${iso(today - 30 * DAY_MS)}&limit=100`,
    ...['ledger/transfers', 'ledger/transfers?kind=charge&account=77', 'ledger/transfers?reason=nothing'],
    ...['ledger/accounts', 'ledger/audits?limit=10'],
    ...['models?order=attention', 'models?limit=1000', 'models?problem=no_group', 'groups?limit=1000', 'upstreams'],
    ...['upstream-figures', 'upstream-figures?hours=48', 'upstream-kinds', 'configuration/entries', 'settings'],
    ...['configuration/revisions', 'audit-log?limit=50', 'audit-log?actor=nothing', 'audit-log?action=key%20create'],
    ...['audit-log?object=account%2F77', 'people?role=owner', 'admin-keys', 'invitations', 'roles'],
    ...['alerts?state=open&limit=100', 'alerts', 'tasks', 'nodes', 'jobs', 'system', 'system/sizes'],
  ]
}
