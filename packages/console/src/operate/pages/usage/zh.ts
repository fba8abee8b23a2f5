import type { OperateTexts } from '../../i18n/texts.ts'

export const usage: OperateTexts['usage'] = {
  title: '用量',
  text: '所有账户的合计。请求在结束时计入。每天从 UTC 00:00 开始。',
  by: '统计维度',
  second: '第二维度',
  nothing: '无',
  sort: '排序',
  sorts: {
    '-charged': '计费金额从高到低',
    '-requests': '请求数从多到少',
    '-tokens': 'Token 数从多到少',
    '-margin': '毛利从高到低',
    margin: '毛利从低到高',
  },
  groups: '分类合计',
  filters: { account: '账户', key: '密钥', model: '模型', upstream: '上游', outcome: '结果' },
  keyHint: '密钥 ID',
  largest: (count) => `显示前 ${count} 项，CSV 文件包含全部。`,
}
