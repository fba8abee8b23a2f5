// What the pages Usage and Margin have in common.
export const sums = {
  dimensions: { account: 'Account', key: 'Key', model: 'Model', upstream: 'Upstream', outcome: 'Outcome', day: 'Day' },
  charged: 'Charged',
  cost: 'Upstream cost',
  margin: 'Margin',
  unknown: 'Unknown cost',
  unknownLink: 'Show the requests whose upstream cost is not known',
  shortfall: 'Shortfall',
  atMost: 'at most',
  loss: 'loss',
  others: 'All others',
  everything: 'All requests',
  against: (percent: string, before: string) => `${percent} compared with ${before} in the previous period`,
  before: (before: string) => `${before} in the previous period`,
  empty: 'No usage in this period.',
  emptyText: 'Choose a longer period, or remove filters.',
}
