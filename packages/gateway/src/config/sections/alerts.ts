// Section `alerts`: thresholds, and where alerts are sent.
import { NANOS_PER_USD } from '../../money/amount.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import {
  FILE_ONLY,
  type FieldRules,
  fieldsOf,
  listOf,
  quoteSource,
  type Reader,
  scalarText,
} from '../../yaml/fields.ts'
import { readBoolean, readDuration, readText, readUsd, readWord, STORAGE_TIME } from '../../yaml/scalars.ts'
import { type AlertRule, type AlertsConfig, RULES_WITHOUT_THRESHOLD } from '../types.ts'

const HOUR = 3600 * 1000
const DAY = 24 * HOUR

export const ALERT_DEFAULTS: AlertsConfig = {
  webhooks: [],
  email: [],
  allowPrivate: false,
  off: [],
  thresholds: {
    upstream_down: HOUR / 12,
    error_rate: 20,
    old_holds: HOUR,
    disk_full: 90,
    contents_full: 90,
    certificate_expiring: 14 * DAY,
    price_list_old: 90 * DAY,
  },
  loss: NANOS_PER_USD,
}

const readPercent: Reader<number> = (value) => {
  const text = scalarText(value, 'a percentage, such as 20%')
  if (text === undefined) return undefined
  const [, digits] = /^(\d{1,3})\s?%$/.exec(text) ?? []
  if (digits !== undefined && Number(digits) >= 1 && Number(digits) <= 100) return Number(digits)
  addMistake(value, `${quoteSource(value)} is not a percentage; write a whole number from 1% to 100%, such as 20%`)
  return undefined
}

type Threshold = keyof AlertsConfig['thresholds']

const readTime = readDuration(STORAGE_TIME)
const THRESHOLDS: Readonly<Record<Threshold, Reader<number>>> = {
  upstream_down: readTime,
  error_rate: readPercent,
  old_holds: readTime,
  disk_full: readPercent,
  contents_full: readPercent,
  certificate_expiring: readTime,
  price_list_old: readTime,
}
const THRESHOLD_NAMES = Object.keys(THRESHOLDS) as Threshold[]

export const ALERT_RULES: readonly AlertRule[] = [...THRESHOLD_NAMES, 'margin_negative', ...RULES_WITHOUT_THRESHOLD]

const FIELDS: FieldRules = {
  webhooks: true,
  email: true,
  allow_private: FILE_ONLY,
  off: true,
  ...Object.fromEntries(THRESHOLD_NAMES.map((name) => [name, true as const])),
  margin_negative: true,
  audit_failed: 'has no threshold; write off: [audit_failed] to turn it off',
}

const SECRET_EXAMPLE = 'whsec_ and 24 to 64 random bytes in base64 (openssl rand -base64 32)'
// biome-ignore lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
const WEBHOOK_EXAMPLE = '{ url: "https://example.com/alerts", secret: "${ALERT_SECRET}" }'
/** Each is tried for hours if it does not respond. */
const MOST_TARGETS = 16

/** `hasMail`: the file says how email is sent. */
export const readAlerts =
  (hasMail: boolean) =>
  (value: YamlValue): AlertsConfig | undefined => {
    const fields = fieldsOf(value, FIELDS, `alerts: { webhooks: [${WEBHOOK_EXAMPLE}] }`)
    if (!fields) return undefined
    const { thresholds, loss, ...defaults } = ALERT_DEFAULTS
    const email = fields.get('email')
    if (email && !hasMail) addMistake(email, 'the file has no section mail, which says how email is sent; add it')
    const readTargets = <T>(read: Reader<T>, example: string): Reader<readonly T[]> => few(listOf(read, example))
    return {
      webhooks: fields.optional('webhooks', readTargets(readWebhook, `[${WEBHOOK_EXAMPLE}]`), defaults.webhooks),
      email: fields.optional('email', readTargets(readAddress, '[ops@example.com]'), defaults.email),
      allowPrivate: fields.optional('allow_private', readBoolean, defaults.allowPrivate),
      off: fields.optional('off', listOf(readWord(ALERT_RULES), '[price_list_old]'), defaults.off),
      thresholds: Object.fromEntries(
        THRESHOLD_NAMES.map((name) => [name, fields.optional(name, THRESHOLDS[name], thresholds[name])]),
      ) as AlertsConfig['thresholds'],
      loss: fields.optional('margin_negative', readUsd, loss),
    }
  }

function few<T>(read: Reader<readonly T[]>): Reader<readonly T[]> {
  return (value) => {
    const list = read(value)
    if (list && list.length > MOST_TARGETS)
      addMistake(value, `has ${list.length} entries; ${MOST_TARGETS} are possible`)
    return list
  }
}

function readWebhook(value: YamlValue): AlertsConfig['webhooks'][number] | undefined {
  const fields = fieldsOf(value, { url: true, secret: true }, WEBHOOK_EXAMPLE)
  const url = fields?.required('url', readWebhookUrl, 'such as https://example.com/alerts')
  const secret = fields?.required('secret', readSecret, `write ${SECRET_EXAMPLE}`)
  return url === undefined || secret === undefined ? undefined : { url, secret }
}

/** Messages never repeat it: many services put a token into the URL. */
function readWebhookUrl(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text))) return text
  addMistake(value, 'is not an http:// or https:// URL; write one such as https://example.com/alerts')
  return undefined
}

function readSecret(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined) return undefined
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const { length } = Buffer.from(encoded, 'base64')
  if (length >= 24 && length <= 64) return text
  addMistake(value, `is not a signing secret; write ${SECRET_EXAMPLE}`)
  return undefined
}

function readAddress(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || /^[^\s<>@",;]+@[^\s<>@",;]+$/.test(text)) return text
  addMistake(value, 'is not an email address; write one such as ops@example.com')
  return undefined
}
