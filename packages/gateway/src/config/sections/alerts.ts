// Section `alerts`: thresholds, and where alerts are sent.
import { NANOS_PER_USD, type Nanos } from '../../money/amount.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { type FieldRules, fieldsOf, listOf, type Reader } from '../../yaml/fields.ts'
import { readText, readWord, STORAGE_TIME } from '../../yaml/scalars.ts'
import {
  boolean,
  defaultsOf,
  duration,
  percent,
  readRows,
  rulesOf,
  setting,
  usd,
  type ValuesOf,
  words,
  written,
} from '../settings/setting.ts'

const HOUR = 3600 * 1000
const DAY = 24 * HOUR

const SECRET_EXAMPLE = 'whsec_ and 24 to 64 random bytes in base64 (openssl rand -base64 32)'
// biome-ignore lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
const WEBHOOK_EXAMPLE = '{ url: "https://example.com/alerts", secret: "${ALERT_SECRET}" }'
/** Each is tried for hours if it does not respond. */
const MOST_TARGETS = 16

const targets = <T>(read: Reader<T>, example: string): Reader<readonly T[]> => few(listOf(read, example))

/** What alerts are sent of without a threshold; their names in the file. */
export const RULES_WITHOUT_THRESHOLD = ['audit_failed', 'commits_lost'] as const

const age = duration(STORAGE_TIME)

/** What must be passed before an alert is sent: milliseconds, percent, or what a model may lose within a day. */
export const THRESHOLDS = {
  upstream_down: setting('upstream_down', age, HOUR / 12, {
    en: 'How long all keys of an upstream must fail.',
    zh: '上游的所有密钥持续失败多久后告警。',
  }),
  error_rate: setting('error_rate', percent, 20, {
    en: 'The share of requests that fail.',
    zh: '请求失败的比例。',
  }),
  margin_negative: setting('margin_negative', usd, NANOS_PER_USD, {
    en: 'What a model may lose within a day, in USD.',
    zh: '一个模型一天内允许的亏损（USD）。',
  }),
  old_holds: setting('old_holds', age, HOUR, {
    en: 'How old an open hold may get.',
    zh: '冻结金额最多允许未结清多久。',
  }),
  disk_full: setting('disk_full', percent, 90, { en: 'How full a disk may get.', zh: '磁盘使用率上限。' }),
  contents_full: setting('contents_full', percent, 90, {
    en: 'How full stored responses and media may get, of their limits.',
    zh: '已存储响应和媒体占各自上限的比例。',
  }),
  certificate_expiring: setting('certificate_expiring', age, 14 * DAY, {
    en: 'How long before its expiry a certificate is reported.',
    zh: '证书到期前多久开始告警。',
  }),
  price_list_old: setting('price_list_old', age, 90 * DAY, {
    en: 'How old the built-in price list may get.',
    zh: '内置价格表超过多久未更新时告警。',
  }),
}

/** What alerts are sent of; their names in the file. */
export type AlertRule = keyof typeof THRESHOLDS | (typeof RULES_WITHOUT_THRESHOLD)[number]

const { margin_negative, ...LEVELS } = THRESHOLDS

export const ALERT_RULES: readonly AlertRule[] = [
  ...(Object.keys(LEVELS) as (keyof typeof LEVELS)[]),
  'margin_negative',
  ...RULES_WITHOUT_THRESHOLD,
]

export const ALERTS = {
  // `secret` signs what is sent, by the rules of Standard Webhooks.
  webhooks: setting('webhooks', written('objects', targets(readWebhook, `[${WEBHOOK_EXAMPLE}]`)), [], {
    en: 'Where alerts are sent: `url` and the signing `secret` of each.',
    zh: '告警发往的地址：每项包含 `url` 和签名密钥 `secret`。',
  }),
  email: setting('email', written('texts', targets(readAddress, '[ops@example.com]')), [], {
    en: 'Addresses that get alerts. Needs `mail`.',
    zh: '接收告警的邮箱。需要先设置 `mail`。',
  }),
  allowPrivate: setting('allow_private', boolean, false, {
    en: 'Webhooks may be at private addresses.',
    zh: 'Webhook 可以使用内网地址。',
    mark: 'file only',
  }),
  off: setting('off', words(ALERT_RULES, listOf(readWord(ALERT_RULES), '[price_list_old]')), [], {
    en: 'Rules that are turned off.',
    zh: '已关闭的规则。',
  }),
}

export type AlertsConfig = ValuesOf<typeof ALERTS> & {
  thresholds: ValuesOf<typeof LEVELS>
  /** What a model may lose within a day. */
  loss: Nanos
}

export const ALERT_DEFAULTS: AlertsConfig = {
  ...defaultsOf(ALERTS),
  thresholds: defaultsOf(LEVELS),
  loss: margin_negative.fallback,
}

const FIELDS: FieldRules = {
  ...rulesOf(ALERTS),
  ...rulesOf(LEVELS),
  ...rulesOf(THRESHOLDS),
  audit_failed: 'has no threshold; write off: [audit_failed] to turn it off',
}

/** `hasMail`: the file says how email is sent. */
export const readAlerts =
  (hasMail: boolean) =>
  (value: YamlValue): AlertsConfig | undefined => {
    const fields = fieldsOf(value, FIELDS, `alerts: { webhooks: [${WEBHOOK_EXAMPLE}] }`)
    if (!fields) return undefined
    const email = fields.get('email')
    if (email && !hasMail) addMistake(email, 'the file has no section mail, which says how email is sent; add it')
    const { margin_negative: loss, ...thresholds } = readRows(fields, THRESHOLDS)
    return { ...readRows(fields, ALERTS), thresholds, loss }
  }

function few<T>(read: Reader<readonly T[]>): Reader<readonly T[]> {
  return (value) => {
    const list = read(value)
    if (list && list.length > MOST_TARGETS)
      addMistake(value, `has ${list.length} entries; ${MOST_TARGETS} are possible`)
    return list
  }
}

type Webhook = { url: string; secret: string }

function readWebhook(value: YamlValue): Webhook | undefined {
  const fields = fieldsOf(value, { url: true, secret: true }, WEBHOOK_EXAMPLE)
  const url = fields?.required('url', readWebhookUrl, 'such as https://example.com/alerts')
  const secret = fields?.required('secret', readSecret, `write ${SECRET_EXAMPLE}`)
  return url === undefined || secret === undefined ? undefined : { url, secret }
}

export const isWebhookUrl = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)

/** Messages never repeat it: many services put a token into the URL. */
function readWebhookUrl(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || isWebhookUrl(text)) return text
  addMistake(value, 'is not an http:// or https:// URL; write one such as https://example.com/alerts')
  return undefined
}

export function isSigningSecret(text: string): boolean {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const { length } = Buffer.from(encoded, 'base64')
  return length >= 24 && length <= 64
}

function readSecret(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || isSigningSecret(text)) return text
  addMistake(value, `is not a signing secret; write ${SECRET_EXAMPLE}`)
  return undefined
}

function readAddress(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || /^[^\s<>@",;]+@[^\s<>@",;]+$/.test(text)) return text
  addMistake(value, 'is not an email address; write one such as ops@example.com')
  return undefined
}
