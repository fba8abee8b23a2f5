// Requests, tasks, the ledger, alerts and the gateway itself.
import type { Words } from './words.ts'

export const GATEWAY_WORDS = {
  'request refund': {
    act: { en: 'Refund', zh: '退款' },
    ask: { en: 'Refund {usd} USD to {x}?', zh: '向 {x} 退款 {usd} USD？' },
    text: {
      en: 'The amount is credited to the balance. The receipt and the usage stay as they are.',
      zh: '金额将计入账户余额，收据和用量保持不变。',
    },
    done: { en: 'Refunded', zh: '已退款' },
    did: { en: 'refunded the request {x}', zh: '为请求 {x} 退款' },
  },
  'task cancel': {
    act: { en: 'Cancel the task', zh: '取消任务' },
    ask: { en: 'Cancel this task?', zh: '取消此任务？' },
    text: {
      en: 'It is cancelled at the upstream if it is still queued there. Nothing is charged.',
      zh: '只要任务在上游仍在排队，就会在上游取消，不收取任何费用。',
    },
    done: { en: 'Cancelled', zh: '已取消' },
    did: { en: 'cancelled the task {x}', zh: '取消了任务 {x}' },
  },
  'task query': {
    act: { en: 'Query now', zh: '立即查询' },
    ask: { en: 'Query the upstream for the state of this task now?', zh: '立即向上游查询此任务的状态？' },
    text: { en: 'Otherwise it is queried at growing intervals.', zh: '否则会按逐渐变长的间隔自动查询。' },
    done: { en: 'Querying the upstream', zh: '正在查询上游' },
    did: { en: 'queried the upstream about the task {x}', zh: '向上游查询了任务 {x}' },
  },
  'task release': {
    act: { en: 'End the task', zh: '结束任务' },
    ask: { en: 'End this task and release its hold?', zh: '结束此任务并释放冻结金额？' },
    text: {
      en: 'The upstream is queried once more. If the video is finished, it is delivered and charged. Otherwise the task ends, nothing is charged, and the upstream may still bill you.',
      zh: '会再查询一次上游。如果视频已完成，则正常交付并计费；否则任务结束且不计费，但上游仍可能向您计费。',
    },
    done: { en: 'The task was ended', zh: '任务已结束' },
    did: { en: 'released the hold of the task {x}', zh: '释放了任务 {x} 的冻结金额' },
  },
  'secret rotate': { did: { en: 're-encrypted stored secrets', zh: '重新加密了已存储的密钥' } },
  'ledger audit start': {
    act: { en: 'Audit now', zh: '立即对账' },
    ask: { en: 'Audit the ledger now?', zh: '立即对账？' },
    text: {
      en: 'The audit reads what is not sealed yet, and checks the seals of earlier months. It runs in the background, one at a time.',
      zh: '对账在后台读取尚未封存的部分，并校验此前各月的封存记录，同一时间只运行一次。',
    },
    done: { en: 'The audit has started.', zh: '对账已开始。' },
    did: { en: 'started an audit of the ledger', zh: '启动了账本对账' },
  },
  'mail test': { did: { en: 'sent a test email', zh: '发送了测试邮件' } },
  'alert test': { did: { en: 'sent a test alert', zh: '发送了告警测试' } },
  'alert target add': {
    act: { en: 'Add', zh: '添加' },
    ask: { en: 'Send alerts to one more target?', zh: '添加一个告警接收方？' },
    done: { en: 'Alerts are sent there, too.', zh: '告警也会发送到该接收方。' },
    did: { en: 'added the target of alerts {x}', zh: '添加了告警接收方 {x}' },
  },
  'alert target replace': {
    act: { en: 'Edit', zh: '编辑' },
    ask: { en: 'Edit {x}', zh: '编辑 {x}' },
    done: { en: 'The target was changed.', zh: '接收方已修改。' },
    did: { en: 'changed the target of alerts {x}', zh: '修改了告警接收方 {x}' },
  },
  'alert target remove': {
    act: { en: 'Remove', zh: '移除' },
    ask: { en: 'Send no more alerts to {x}?', zh: '不再向 {x} 发送告警？' },
    text: {
      en: 'Pending deliveries to it are abandoned. An earlier revision brings the target back.',
      zh: '尚未送达的告警不再发送。恢复较早的版本可重新启用该接收方。',
    },
    done: { en: 'The target was removed.', zh: '接收方已移除。' },
    did: { en: 'removed the target of alerts {x}', zh: '移除了告警接收方 {x}' },
  },
  'alert mute': {
    act: { en: 'Mute', zh: '静音' },
    ask: { en: 'Mute "{x}"?', zh: '静音“{x}”？' },
    text: {
      en: 'The alert is listed but not sent. If it is still open when muting ends, it is sent then.',
      zh: '告警仍会列出，但不发送。静音结束时若仍未恢复，则会发送。',
    },
    done: { en: 'Muted.', zh: '已静音。' },
    did: { en: 'muted the alert {x}', zh: '将告警 {x} 静音' },
  },
  'alert unmute': {
    act: { en: 'Unmute', zh: '取消静音' },
    ask: { en: 'Send "{x}" again?', zh: '重新发送“{x}”？' },
    text: {
      en: 'If it is open and was not sent, it is sent within a minute.',
      zh: '若告警未恢复且尚未发送，将在一分钟内发送。',
    },
    done: { en: 'Alerts are sent again.', zh: '告警将重新发送。' },
    did: { en: 'unmuted the alert {x}', zh: '取消了告警 {x} 的静音' },
  },
} as const satisfies Words
