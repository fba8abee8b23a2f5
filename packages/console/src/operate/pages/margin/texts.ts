import { en, texts } from '../../../i18n/say.ts'

export const margin = texts({
  title: en('Margin').zh('毛利'),
  text: en('Charges minus upstream cost, before refunds.').zh('计费金额减去上游成本，未扣除退款。'),
  by: en('Group by').zh('统计维度'),
  chart: en('Charged over time').zh('计费趋势'),
  groups: en('Breakdown').zh('明细'),
  seriesCost: en('Upstream cost').zh('上游成本'),
  seriesMargin: en('Margin').zh('毛利'),
  unknownNote: en(
    (share: string) => `${share} of the requests. Unknown costs are not estimated, so the margin may be lower.`,
  ).zh((share) => `占请求的 ${share}。未知成本不做估算，实际毛利可能更低。`),
  unknownNone: en('The cost of every request is known.').zh('所有请求的成本均已知。'),
  shortfallNote: en('Cost of requests beyond the balance. It was not charged.').zh('请求费用超出余额的部分，未收取。'),
  unknownWhy: en('The cost is unknown if the route of a model has no cost. Set it in the catalogue.').zh(
    '模型的路由没有填写成本时，成本即为未知。请在目录中填写。',
  ),
  openModels: en('Open models').zh('打开“模型”'),
  largest: en((count: number) => `The ${count} groups with the highest charges. The CSV file has all.`).zh(
    (count) => `按计费金额显示前 ${count} 项，CSV 文件包含全部。`,
  ),
})
