import type { OperateTexts } from '../texts.ts'

export const sums: OperateTexts['sums'] = {
  dimensions: {
    account: '账户',
    key: '密钥',
    person: '人员',
    model: '模型',
    upstream: '上游',
    outcome: '结果',
    day: '日期',
  },
  charged: '计费金额',
  cost: '上游成本',
  margin: '毛利',
  unknown: '成本未知',
  unknownLink: '查看上游成本未知的请求',
  shortfall: '未收差额',
  atMost: '至多',
  loss: '亏损',
  others: '其余合计',
  everything: '全部请求',
  against: (percent, before) => `${percent}，上一周期为 ${before}`,
  before: (before) => `上一周期为 ${before}`,
  empty: '此时间范围内没有用量。',
  emptyText: '请选择更长的时间范围，或移除筛选条件。',
}
