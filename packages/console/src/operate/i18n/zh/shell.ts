import type { OperateTexts } from '../texts.ts'

export const shell: OperateTexts['shell'] = {
  groups: { start: '开始', traffic: '流量', customers: '客户', catalogue: '目录', money: '资金', gateway: '网关' },
  more: '更多',
  roles: { owner: '所有者', admin: '管理员', finance: '财务', support: '客服', viewer: '只读' },
  role: '您的角色',
  needs: (roles) => `需要${roles.join('或')}角色`,
  openAlerts: (count) => (count === 0 ? '暂无告警' : `${count} 条未恢复的告警`),
  search: {
    title: '搜索',
    open: '搜索（Ctrl K）',
    label: '邮箱、账户、密钥末四位、请求 ID、模型、上游或兑换码',
    hint: '粘贴账户、密钥、请求、模型、上游或兑换码的任何标识。',
    none: '没有结果。',
    kinds: {
      page: '页面',
      account: '账户',
      person: '人员',
      key: '密钥',
      request: '请求',
      model: '模型',
      upstream: '上游',
      group: '分组',
      code: '兑换码',
    },
  },
  filters: { add: '筛选', clear: '全部清除', remove: (name) => `移除筛选条件：${name}`, any: '不限' },
  nothingSoFar: '目前还没有结果，请继续查看下一页。',
  live: '实时',
  paused: '已暂停',
}
