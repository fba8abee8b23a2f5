import type { OperateTexts } from '../../i18n/texts.ts'

const listed = (names: readonly string[]): string => names.slice(0, 5).join('、') + (names.length > 5 ? '……' : '')

const needs: OperateTexts['overview']['needs']['kinds'] = {
  audit_failed: () => '最近一次账本对账发现错误',
  upstream_down: (names) =>
    names.length === 1 ? `上游 ${names[0]} 不可用` : `${names.length} 个上游不可用：${listed(names)}`,
  upstream_key_rejected: (names) =>
    names.length === 1 ? `上游 ${names[0]} 拒绝了一个密钥` : `${names.length} 个上游密钥被拒绝：${listed(names)}`,
  upstream_failing: (names, { count = 0, detail }) =>
    names.length === 1
      ? `${names[0]}：最近 ${count} 次调用全部失败${detail === null ? '' : `（${detail}）`}`
      : `${names.length} 个上游最近的调用全部失败：${listed(names)}`,
  no_upstream: () => '尚未接入上游，目前只有沙盒模型响应',
  model_without_price: (names) =>
    names.length === 1
      ? `模型 ${names[0]} 没有价格，无法使用`
      : `${names.length} 个模型没有价格，无法使用：${listed(names)}`,
  model_without_route: (names) =>
    names.length === 1 ? `模型 ${names[0]} 没有路由` : `${names.length} 个模型没有路由：${listed(names)}`,
  entry_invalid: (names) =>
    names.length === 1
      ? `已存储的条目 ${names[0]} 有错误，未生效`
      : `${names.length} 个已存储的条目有错误，未生效：${listed(names)}`,
  entry_shadowed: (names) =>
    names.length === 1
      ? `已存储的条目 ${names[0]} 被配置文件覆盖`
      : `${names.length} 个已存储的条目被配置文件覆盖：${listed(names)}`,
  node_not_ready: (names) =>
    names.length === 1 ? `节点 ${names[0]} 未就绪` : `${names.length} 个节点未就绪：${listed(names)}`,
  node_drift: (names) =>
    names.length === 1
      ? `节点 ${names[0]} 的配置与其他节点不同`
      : `${names.length} 个节点的配置不一致：${listed(names)}`,
  job_failing: (names) =>
    names.length === 1 ? `后台任务“${names[0]}”运行失败` : `${names.length} 个后台任务运行失败：${listed(names)}`,
}

export const overview: OperateTexts['overview'] = {
  title: '概览',
  range: '时间范围',
  ranges: { '1h': '1 小时', '24h': '24 小时', '7d': '7 天' },
  needs: {
    title: '需要处理',
    none: '目前没有需要处理的事项。',
    kinds: needs,
    acts: {
      audit_failed: '打开账本',
      upstream_down: '查看原因',
      upstream_key_rejected: '更换密钥',
      upstream_failing: '查看原因',
      no_upstream: '添加上游',
      model_without_price: '设置价格',
      model_without_route: '添加路由',
      alert: '查看告警',
      entry_invalid: '修正',
      entry_shadowed: '比较',
      node_not_ready: '查看系统',
      node_drift: '查看系统',
      job_failing: '查看系统',
    },
    more: (count) => `另有 ${count} 项`,
  },
  figures: {
    requests: '请求数',
    errors: '错误率',
    firstToken: '首 Token 延迟 p50 / p95',
    charged: '计费金额',
    margin: '毛利',
    marginAtMost: '毛利（至多）',
    unknown: (count) => `${count} 个请求成本未知`,
    failed: (count) => `${count} 个失败`,
    lastWeek: (value) => `上周同期：${value}`,
    noLastWeek: '上周同期没有请求',
  },
  chart: {
    title: '请求结果',
    unit: '按结果统计的请求数',
    empty: '此时间范围内没有请求',
    others: '其他结果',
    ticks: '此时间范围内的变更与告警',
    revision: (number) => `版本 ${number}`,
    alert: '告警',
  },
  upstreams: {
    title: '上游',
    none: '尚未配置上游。',
    states: {
      ready: '正常',
      degraded: '部分可用',
      down: '不可用',
      unknown: '未知',
      draining: '排空中',
      disabled: '已停用',
    },
    share: '流量',
    errors: '错误',
    p95: 'p95',
    cost: '成本',
    costAtLeast: '成本（至少）',
    charged: '计费金额',
    noTraffic: '无流量',
  },
  top: {
    accounts: '账户前五',
    models: '模型前五',
    errors: '错误前五',
    account: '账户',
    model: '模型',
    code: '错误码',
    requests: '请求数',
    charged: '计费金额',
    none: '此时间范围内没有',
    count: '次数',
    deleted: '已删除的账户',
  },
}
