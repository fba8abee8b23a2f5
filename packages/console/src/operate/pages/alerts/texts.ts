import { en, type Said, same, texts } from '../../../i18n/say.ts'

const VALUES: readonly (readonly [RegExp, string])[] = [
  [/every key fails or is rejected$/, '所有密钥均失败或被拒绝'],
  [/(\d+) of (\d+) requests of the last 5 minutes failed \((.+)\)$/, '最近 5 分钟的 $2 个请求中有 $1 个失败（$3）'],
  [/lost (\S+) USD within 24 hours: charged (\S+), paid (\S+)$/, '24 小时内亏损 $1 USD：计费 $2，成本 $3'],
  [/the ledger is not consistent$/, '账本不一致'],
  [/noticed on (\S+) at (\S+) UTC$/, '发现于 $1 $2（UTC）'],
  [/(\d+) holds, the oldest for (\d+) minutes$/, '$1 笔冻结，最早的已持续 $2 分钟'],
  [/(\d+) % used$/, '已使用 $1%'],
  [/(\d+) % of the limit$/, '已达上限的 $1%'],
  [/expired on (\S+)$/, '已于 $1 过期'],
  [/expires on (\S+), in (\d+) days$/, '将于 $1 到期，还有 $2 天'],
  [/of (\d{4}-\d\d-\d\d)$/, '日期为 $1'],
]

export const alerts = texts({
  title: en('Alerts').zh('告警'),
  text: en('An alert fires once when its condition becomes true and resolves once when it ends.').zh(
    '条件满足时通知一次，恢复时再通知一次。',
  ),
  /** By the name of the rule. `threshold`: what its value means. */
  rules: {
    upstream_down: {
      title: en('An upstream is down').zh('上游不可用'),
      threshold: en('down').zh('持续时间'),
    },
    error_rate: {
      title: en('Many requests fail').zh('大量请求失败'),
      threshold: en('of requests within 5 minutes').zh('（占最近 5 分钟的请求）'),
    },
    margin_negative: {
      title: en('A model costs more than it earns').zh('模型成本高于收入'),
      threshold: en('USD lost within 24 hours').zh('USD（24 小时内的亏损）'),
    },
    audit_failed: {
      title: en('The ledger audit failed').zh('账本对账失败'),
      threshold: same(''),
    },
    commits_lost: {
      title: en('The database lost commits').zh('数据库丢失了已确认的提交'),
      threshold: same(''),
    },
    old_holds: {
      title: en('Funds are held for too long').zh('资金长时间被冻结'),
      threshold: en('held').zh('持续时间'),
    },
    disk_full: {
      title: en('A disk is nearly full').zh('磁盘将满'),
      threshold: en('used').zh('已使用'),
    },
    contents_full: {
      title: en('Stored content is nearly at its limit').zh('存储内容接近上限'),
      threshold: en('of the limit').zh('占上限'),
    },
    certificate_expiring: {
      title: en('A certificate expires soon').zh('证书即将到期'),
      threshold: en('before it expires').zh('到期前'),
    },
    price_list_old: {
      title: en('The built-in price list is old').zh('内置价格表过旧'),
      threshold: en('old').zh('未更新'),
    },
  } as Record<string, { title: Said<string>; threshold: Said<string> }>,
  /** `text`: what the gateway says is wrong, in its words, perhaps behind what it is about. */
  value: en((text: string) => text).zh((text) =>
    VALUES.reduce((said, [pattern, words]) => said.replace(pattern, words), text),
  ),
  requests: en('Requests').zh('请求'),
  columns: {
    rule: en('Alert').zh('告警'),
    about: en('About').zh('对象'),
    value: en('Value').zh('数值'),
    since: en('Since').zh('开始时间'),
    resolved: en('Resolved').zh('恢复时间'),
    sent: en('Sent').zh('发送'),
    threshold: en('Fires at').zh('触发条件'),
    state: en('State').zh('状态'),
    target: en('Target').zh('接收方'),
    tested: en('Last test').zh('最近测试'),
    actions: en('Actions').zh('操作'),
  },
  open: {
    title: en('Open').zh('未恢复'),
    empty: en('No alert is open.').zh('目前没有告警。'),
  },
  history: {
    title: en('History').zh('历史'),
    text: en('Resolved alerts are kept for 90 days.').zh('已恢复的告警保留 90 天。'),
    empty: en('No alert has been resolved.').zh('还没有已恢复的告警。'),
  },
  deliveries: {
    none: en('Not sent').zh('未发送'),
    delivered: en((count: number) => `Delivered to ${count}`).zh((count) => `已送达 ${count} 个接收方`),
    pending: en((count: number) => `Pending: ${count}`).zh((count) => `待发送：${count}`),
    failed: en((count: number) => `Failed: ${count}`).zh((count) => `发送失败：${count}`),
  },
  mutedUntil: en('Muted until').zh('静音至'),
  ruleList: {
    title: en('Rules').zh('规则'),
    text: en('The list is fixed. Thresholds are settings, so each change is a revision.').zh(
      '规则列表固定。阈值属于设置，每次修改都会产生一个新版本。',
    ),
    on: en('On').zh('启用'),
    off: en('Off').zh('停用'),
    openCount: en((count: number) => `${count} open`).zh((count) => `${count} 个未恢复`),
    default: en((value: string) => `default ${value}`).zh((value) => `默认 ${value}`),
    manage: en((rule: string) => `Manage "${rule}"`).zh((rule) => `管理“${rule}”`),
    change: en('Change the threshold').zh('修改阈值'),
    reset: en((value: string) => `Reset to the default, ${value}`).zh((value) => `恢复默认值 ${value}`),
    turnOff: en('Turn off').zh('停用'),
    turnOn: en('Turn on').zh('启用'),
  },
  threshold: {
    title: en((rule: string) => `Threshold of "${rule}"`).zh((rule) => `“${rule}”的阈值`),
    label: en('Fires at').zh('触发条件'),
    hint: en((example: string) => `For example ${example}. Keep the unit.`).zh(
      (example) => `例如 ${example}，单位不变。`,
    ),
    next: en('Continue').zh('继续'),
    missing: en('Enter a value.').zh('请输入数值。'),
    act: en((rule: string) => `Change when "${rule}" fires?`).zh((rule) => `修改“${rule}”的触发条件？`),
    action: en('Save').zh('保存'),
    done: en('The threshold was changed.').zh('阈值已修改。'),
    resetDone: en('The threshold was reset to the default.').zh('阈值已恢复为默认值。'),
    off: en((rule: string) => `Turn off "${rule}"?`).zh((rule) => `停用“${rule}”？`),
    offText: en('Its alerts no longer fire.').zh('该规则将不再触发告警。'),
    on: en((rule: string) => `Turn on "${rule}"?`).zh((rule) => `启用“${rule}”？`),
    offDone: en('The rule is off.').zh('规则已停用。'),
    onDone: en('The rule is on.').zh('规则已启用。'),
  },
  mute: {
    for: en((time: string) => `Mute for ${time}`).zh((time) => `静音 ${time}`),
    times: {
      hour: en('1 hour').zh('1 小时'),
      night: en('8 hours').zh('8 小时'),
      day: en('1 day').zh('1 天'),
      week: en('1 week').zh('1 周'),
    },
  },
  targets: {
    title: en('Where alerts are sent').zh('接收方'),
    text: en('Webhooks are signed. Email needs a mail server. Each change is a revision of the settings.').zh(
      'Webhook 带有签名；发送邮件需先设置邮件服务器。每次修改都会产生一个新版本。',
    ),
    settings: en('Settings').zh('设置'),
    addWebhook: en('Add a webhook').zh('添加 Webhook'),
    addEmail: en('Add an email address').zh('添加邮箱'),
    next: en('Continue').zh('继续'),
    url: en('URL').zh('URL'),
    urlHint: en('It is stored encrypted, and never shown again: only its host is.').zh('加密存储，之后只显示主机名。'),
    urlKept: en('Leave it empty to keep the present URL.').zh('留空则保留当前 URL。'),
    urlMissing: en('Enter the URL.').zh('请输入 URL。'),
    secret: en('Signing secret').zh('签名密钥'),
    secretHint: en('Such as whsec_... in base64. If it is empty, one is made and shown once.').zh(
      '形如 whsec_…（base64）。留空则自动生成，且只显示一次。',
    ),
    secretKept: en('Leave it empty to keep the present secret.').zh('留空则保留当前密钥。'),
    email: en('Email address').zh('邮箱'),
    emailMissing: en('Enter an email address.').zh('请输入邮箱。'),
    made: en('Signing secret of the webhook').zh('Webhook 的签名密钥'),
    madeText: en(
      'Receivers check with it that a message is from this gateway. It is not shown again. Receivers that check no signatures, such as Slack, do not need it.',
    ).zh('接收方用它验证消息来自本网关。此密钥不再显示。不验证签名的接收方（如 Slack）无需此密钥。'),
    leave: en('Leave without the secret?').zh('不保存密钥就离开？'),
    leaveText: en('It cannot be shown again. Edit the webhook to store another one.').zh(
      '密钥无法再次显示。可编辑 Webhook 以设置新的密钥。',
    ),
    place: en((place: string) => `From ${place}`).zh((place) => `来自 ${place}`),
    manage: en((target: string) => `Manage ${target}`).zh((target) => `管理 ${target}`),
    empty: en('Alerts are only listed here and logged. Add a webhook or an email address to be notified.').zh(
      '告警目前只显示在此处和日志中。添加 Webhook 或邮箱即可收到通知。',
    ),
    test: en('Send a test').zh('发送测试'),
    testOf: en((target: string) => `Send a test to ${target}`).zh((target) => `向 ${target} 发送测试`),
    ok: en('The test was delivered.').zh('测试已送达。'),
    failed: en((error: string) => `The test failed: ${error}`).zh((error) => `测试失败：${error}`),
  },
})
