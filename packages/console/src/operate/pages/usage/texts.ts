import { en, texts } from '../../../i18n/say.ts'

export const usage = texts({
  title: en('Usage').zh('用量'),
  text: en('All accounts. Requests count toward totals when they end. Days start at 00:00 UTC.').zh(
    '所有账户的合计。请求在结束时计入。每天从 UTC 00:00 开始。',
  ),
  by: en('Group by').zh('统计维度'),
  second: en('Then by').zh('第二维度'),
  nothing: en('Nothing else').zh('无'),
  sort: en('Sort by').zh('排序'),
  sorts: {
    '-charged': en('Charged, highest first').zh('计费金额从高到低'),
    '-requests': en('Requests, most first').zh('请求数从多到少'),
    '-tokens': en('Tokens, most first').zh('Token 数从多到少'),
    '-margin': en('Margin, highest first').zh('毛利从高到低'),
    margin: en('Margin, lowest first').zh('毛利从低到高'),
  },
  groups: en('By group').zh('分类合计'),
  filters: {
    account: en('Account').zh('账户'),
    key: en('Key').zh('密钥'),
    model: en('Model').zh('模型'),
    upstream: en('Upstream').zh('上游'),
    outcome: en('Outcome').zh('结果'),
  },
  keyHint: en('ID of the key').zh('密钥 ID'),
  largest: en((count: number) => `The first ${count} groups. The CSV file has all.`).zh(
    (count) => `显示前 ${count} 项，CSV 文件包含全部。`,
  ),
})
