export const usage = {
  title: 'Usage',
  text: 'All accounts. Requests count toward totals when they end. Days start at 00:00 UTC.',
  by: 'Group by',
  second: 'Then by',
  nothing: 'Nothing else',
  sort: 'Sort by',
  sorts: {
    '-charged': 'Charged, highest first',
    '-requests': 'Requests, most first',
    '-tokens': 'Tokens, most first',
    '-margin': 'Margin, highest first',
    margin: 'Margin, lowest first',
  },
  groups: 'By group',
  filters: { account: 'Account', key: 'Key', model: 'Model', upstream: 'Upstream', outcome: 'Outcome' },
  keyHint: 'ID of the key',
  largest: (count: number) => `The first ${count} groups. The CSV file has all.`,
}
