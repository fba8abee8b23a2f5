import type { OperateTexts } from '../../i18n/texts.ts'

export const margin: OperateTexts['margin'] = {
  title: '毛利',
  text: '计费金额减去上游成本，未扣除退款。',
  by: '统计维度',
  chart: '计费趋势',
  groups: '明细',
  seriesCost: '上游成本',
  seriesMargin: '毛利',
  unknownNote: (share) => `占请求的 ${share}。未知成本不做估算，实际毛利可能更低。`,
  unknownNone: '所有请求的成本均已知。',
  shortfallNote: '请求费用超出余额的部分，未收取。',
  unknownWhy: '模型的路由没有填写成本时，成本即为未知。请在目录中填写。',
  openModels: '打开“模型”',
  largest: (count) => `按计费金额显示前 ${count} 项，CSV 文件包含全部。`,
}
