// What the pages Usage and Margin have in common.

import { en, texts } from '../../i18n/say.ts'

export const sums = texts({
  dimensions: {
    account: en('Account').zh('账户'),
    key: en('Key').zh('密钥'),
    person: en('Person').zh('人员'),
    model: en('Model').zh('模型'),
    upstream: en('Upstream').zh('上游'),
    outcome: en('Outcome').zh('结果'),
    tag: en('Tag').zh('标签'),
    end_user: en('End user').zh('最终用户'),
    day: en('Day').zh('日期'),
    week: en('Week').zh('周'),
    month: en('Month').zh('月'),
  },
  classes: {
    delivered: en('Delivered').zh('已返回'),
    running: en('Running').zh('运行中'),
    ended: en('Ended by the client').zh('客户端中止'),
    failed: en('Failed').zh('失败'),
    rejected: en('Rejected').zh('已拒绝'),
  },
  charged: en('Charged').zh('计费金额'),
  cost: en('Upstream cost').zh('上游成本'),
  margin: en('Margin').zh('毛利'),
  marginAtMost: en('Margin (≤ at most)').zh('毛利（≤ 表示至多）'),
  unknown: en('Unknown cost').zh('成本未知'),
  unknownLink: en('Show the requests whose upstream cost is not known').zh('查看上游成本未知的请求'),
  shortfall: en('Shortfall').zh('未收差额'),
  atMost: en('at most').zh('至多'),
  loss: en('loss').zh('亏损'),
  others: en('All others').zh('其余合计'),
  further: en('All further ones').zh('其余全部'),
  furtherText: en('Of more than 10,000 different ones of an account on a day, the further ones are added up.').zh(
    '一个账户一天内超过 10,000 个不同的值时，其余的合并计算。',
  ),
  weekOf: en((day: string) => `Week of ${day}`).zh((day) => `${day} 起的一周`),
  everything: en('All requests').zh('全部请求'),
  against: en((percent: string, before: string) => `${percent} compared with ${before} in the previous period`).zh(
    (percent, before) => `${percent}，上一周期为 ${before}`,
  ),
  before: en((before: string) => `${before} in the previous period`).zh((before) => `上一周期为 ${before}`),
  empty: en('No usage in this period.').zh('此时间范围内没有用量。'),
  emptyText: en('Choose a longer period, or remove filters.').zh('请选择更长的时间范围，或移除筛选条件。'),
})
