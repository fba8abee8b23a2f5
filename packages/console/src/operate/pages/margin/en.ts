export const margin = {
  title: 'Margin',
  text: 'Charges minus upstream cost, before refunds.',
  by: 'Group by',
  chart: 'Charged over time',
  groups: 'Breakdown',
  seriesCost: 'Upstream cost',
  seriesMargin: 'Margin',
  unknownNote: (share: string) =>
    `${share} of the requests. Unknown costs are not estimated, so the margin may be lower.`,
  unknownNone: 'The cost of every request is known.',
  shortfallNote: 'Cost of requests beyond the balance. It was not charged.',
  unknownWhy: 'The cost is unknown if the route of a model has no cost. Set it in the catalogue.',
  openModels: 'Open models',
  largest: (count: number) => `The ${count} groups with the highest charges. The CSV file has all.`,
}
