import { en, type Said, same, texts } from '../../../i18n/say.ts'

const listed = (names: readonly string[]): string => names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '')

const listedZh = (names: readonly string[]): string => names.slice(0, 5).join('、') + (names.length > 5 ? '……' : '')

type Need = { count?: number; detail: string | null }

/** What needs an operator: of one, or of several of the same kind. */
type NeedText = (names: readonly string[], first: Need) => string

export const overview = texts({
  title: en('Overview').zh('概览'),
  range: en('Period').zh('时间范围'),
  ranges: {
    '1h': en('1 hour').zh('1 小时'),
    '24h': en('24 hours').zh('24 小时'),
    '7d': en('7 days').zh('7 天'),
  },
  needs: {
    title: en('Needs attention').zh('需要处理'),
    none: en('Nothing needs attention.').zh('目前没有需要处理的事项。'),
    kinds: {
      audit_failed: en<NeedText>(() => 'The last ledger audit found errors').zh(() => '最近一次账本对账发现错误'),
      upstream_down: en<NeedText>((names) =>
        names.length === 1 ? `Upstream ${names[0]} is down` : `${names.length} upstreams are down: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1 ? `上游 ${names[0]} 不可用` : `${names.length} 个上游不可用：${listedZh(names)}`,
      ),
      upstream_key_rejected: en<NeedText>((names) =>
        names.length === 1
          ? `Upstream ${names[0]} rejects a key`
          : `${names.length} upstream keys are rejected: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1 ? `上游 ${names[0]} 拒绝了一个密钥` : `${names.length} 个上游密钥被拒绝：${listedZh(names)}`,
      ),
      upstream_failing: en<NeedText>((names, { count = 0, detail }) =>
        names.length === 1
          ? `${names[0]}: the last ${count} calls failed${detail === null ? '' : ` (${detail})`}`
          : `The last calls of ${names.length} upstreams failed: ${listed(names)}`,
      ).zh((names, { count = 0, detail }) =>
        names.length === 1
          ? `${names[0]}：最近 ${count} 次调用全部失败${detail === null ? '' : `（${detail}）`}`
          : `${names.length} 个上游最近的调用全部失败：${listedZh(names)}`,
      ),
      no_upstream: en<NeedText>(() => 'No upstream is connected: only sandbox models respond').zh(
        () => '尚未接入上游，目前只有沙盒模型响应',
      ),
      model_without_price: en<NeedText>((names) =>
        names.length === 1
          ? `Model ${names[0]} has no price, so nobody can use it`
          : `${names.length} models have no price, so nobody can use them: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1
          ? `模型 ${names[0]} 没有价格，无法使用`
          : `${names.length} 个模型没有价格，无法使用：${listedZh(names)}`,
      ),
      model_without_route: en<NeedText>((names) =>
        names.length === 1
          ? `Model ${names[0]} has no route`
          : `${names.length} models have no route: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1 ? `模型 ${names[0]} 没有路由` : `${names.length} 个模型没有路由：${listedZh(names)}`,
      ),
      entry_invalid: en<NeedText>((names) =>
        names.length === 1
          ? `The stored entry ${names[0]} has a mistake and is not in effect`
          : `${names.length} stored entries have mistakes and are not in effect: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1
          ? `已存储的条目 ${names[0]} 有错误，未生效`
          : `${names.length} 个已存储的条目有错误，未生效：${listedZh(names)}`,
      ),
      entry_shadowed: en<NeedText>((names) =>
        names.length === 1
          ? `The stored entry ${names[0]} is overridden by the file`
          : `${names.length} stored entries are overridden by the file: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1
          ? `已存储的条目 ${names[0]} 被配置文件覆盖`
          : `${names.length} 个已存储的条目被配置文件覆盖：${listedZh(names)}`,
      ),
      node_not_ready: en<NeedText>((names) =>
        names.length === 1 ? `Node ${names[0]} is not ready` : `${names.length} nodes are not ready: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1 ? `节点 ${names[0]} 未就绪` : `${names.length} 个节点未就绪：${listedZh(names)}`,
      ),
      node_drift: en<NeedText>((names) =>
        names.length === 1
          ? `Node ${names[0]} has a different configuration from the others`
          : `${names.length} nodes differ in their configuration: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1
          ? `节点 ${names[0]} 的配置与其他节点不同`
          : `${names.length} 个节点的配置不一致：${listedZh(names)}`,
      ),
      job_failing: en<NeedText>((names) =>
        names.length === 1 ? `The job "${names[0]}" is failing` : `${names.length} jobs are failing: ${listed(names)}`,
      ).zh((names) =>
        names.length === 1 ? `后台任务“${names[0]}”运行失败` : `${names.length} 个后台任务运行失败：${listedZh(names)}`,
      ),
    } as Record<string, Said<NeedText>>,
    acts: {
      audit_failed: en('Open the ledger').zh('打开账本'),
      upstream_down: en('See why').zh('查看原因'),
      upstream_key_rejected: en('Replace the key').zh('更换密钥'),
      upstream_failing: en('See why').zh('查看原因'),
      no_upstream: en('Add an upstream').zh('添加上游'),
      model_without_price: en('Set a price').zh('设置价格'),
      model_without_route: en('Add a route').zh('添加路由'),
      alert: en('Open alerts').zh('查看告警'),
      entry_invalid: en('Fix it').zh('修正'),
      entry_shadowed: en('Compare').zh('比较'),
      node_not_ready: en('Open System').zh('查看系统'),
      node_drift: en('Open System').zh('查看系统'),
      job_failing: en('Open System').zh('查看系统'),
    } as Record<string, Said<string>>,
    more: en((count: number) => `${count} more`).zh((count) => `另有 ${count} 项`),
  },
  figures: {
    requests: en('Requests').zh('请求数'),
    errors: en('Error rate').zh('错误率'),
    firstToken: en('First token, p50 / p95').zh('首 Token 延迟 p50 / p95'),
    charged: en('Charged').zh('计费金额'),
    margin: en('Margin').zh('毛利'),
    marginAtMost: en('Margin, at most').zh('毛利（至多）'),
    unknown: en((count: string) => `${count} requests with unknown cost`).zh((count) => `${count} 个请求成本未知`),
    failed: en((count: string) => `${count} failed`).zh((count) => `${count} 个失败`),
    lastWeek: en((value: string) => `Same time last week: ${value}`).zh((value) => `上周同期：${value}`),
    noLastWeek: en('No requests at this time last week').zh('上周同期没有请求'),
  },
  chart: {
    title: en('Outcomes').zh('请求结果'),
    unit: en('Requests by outcome').zh('按结果统计的请求数'),
    empty: en('No requests in this period').zh('此时间范围内没有请求'),
    ticks: en('Changes and alerts in this period').zh('此时间范围内的变更与告警'),
    revision: en((number: string) => `Revision ${number}`).zh((number) => `版本 ${number}`),
    alert: en('Alert').zh('告警'),
  },
  upstreams: {
    title: en('Upstreams').zh('上游'),
    none: en('No upstream is configured.').zh('尚未配置上游。'),
    share: en('Traffic').zh('流量'),
    errors: en('Errors').zh('错误'),
    p95: same('p95'),
    cost: en('Cost').zh('成本'),
    costAtLeast: en('Cost, at least').zh('成本（至少）'),
    charged: en('Charged').zh('计费金额'),
    noTraffic: en('No traffic').zh('无流量'),
  },
  top: {
    accounts: en('Top accounts').zh('账户前五'),
    models: en('Top models').zh('模型前五'),
    errors: en('Top errors').zh('错误前五'),
    account: en('Account').zh('账户'),
    model: en('Model').zh('模型'),
    code: en('Code').zh('错误码'),
    requests: en('Requests').zh('请求数'),
    charged: en('Charged').zh('计费金额'),
    none: en('None in this period').zh('此时间范围内没有'),
    count: en('Count').zh('次数'),
    deleted: en('Deleted account').zh('已删除的账户'),
  },
})
