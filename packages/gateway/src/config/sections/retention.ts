// Section `retention`: how long contents are kept, in milliseconds; `off`: not at all. Section `archive`: when details of the ledger leave the
// database; `off`: never.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, quoteSource, scalarText } from '../../yaml/fields.ts'
import { readDuration, STORAGE_TIME } from '../../yaml/scalars.ts'
import {
  defaultsOf,
  duration,
  durationOrOff,
  readRows,
  rulesOf,
  setting,
  type ValuesOf,
  word,
  written,
} from '../settings/setting.ts'

const HOUR = 3600 * 1000
const DAY = 24 * HOUR
const kept = durationOrOff(STORAGE_TIME)

export const RETENTION = {
  responses: setting('responses', kept, 30 * DAY, {
    en: 'How long stored responses are kept.',
    zh: '已存储响应的保留时间。',
  }),
  reasoning: setting('reasoning', kept, DAY, {
    en: 'How long reasoning is kept for clients that cannot send it back.',
    zh: '为无法回传推理内容的客户端保留推理的时间。',
  }),
  idempotency: setting('idempotency', kept, DAY, {
    en: 'How long a repeated request gets the same response.',
    zh: '重复请求得到相同响应的时间。',
  }),
  requests: setting('requests', kept, 400 * DAY, {
    en: 'How long receipts keep their text. Rows and transfers stay.',
    zh: '收据文本的保留时间。记录和转账不会删除。',
  }),
  attribution: setting('attribution', kept, 400 * DAY, {
    en: 'How long sums by tag and by end user are kept, in whole days. Requests keep their tags.',
    zh: '按标签和最终用户的合计的保留时间，以整天计。请求保留其标签。',
  }),
  media: setting('media', kept, DAY, {
    en: 'How long generated images and videos are kept.',
    zh: '生成的图片和视频的保留时间。',
  }),
  tasks: setting('tasks', duration(readTasks), 7 * DAY, {
    en: 'How long ended video tasks are kept.',
    zh: '已结束视频任务的保留时间。',
  }),
  audit: setting('audit', kept, 400 * DAY, {
    en: 'How long the audit log is kept.',
    zh: '审计日志的保留时间。',
  }),
}

export type Retention = ValuesOf<typeof RETENTION>

export const RETENTION_DEFAULTS: Retention = defaultsOf(RETENTION)

export function readRetention(value: YamlValue): Retention {
  const fields = fieldsOf(value, rulesOf(RETENTION), 'retention: { responses: 30d, requests: 400d }')
  return fields ? readRows(fields, RETENTION) : RETENTION_DEFAULTS
}

/** Clients ask for the result of a task later. */
function readTasks(value: YamlValue): number | undefined {
  const text = scalarText(value, 'a duration such as 7d')
  if (text === 'off') addMistake(value, 'tasks are always kept for a while; write a duration such as 7d')
  return text === undefined || text === 'off' ? undefined : readDuration({ ...STORAGE_TIME, min: HOUR })(value)
}

/** Reports of the last months read details. */
const LEAST_MONTHS = 4
const MOST_MONTHS = 1_200

const months = {
  ...written('text', readMonths),
  write: (value: number | 'off') => (value === 'off' ? value : `${value}mo`),
}

export const ARCHIVE = {
  afterMonths: setting('after', months, 'off', {
    en: 'Details of months that ended so long ago, such as `13mo`, go from the database to files, once `retention.requests` is over for them, too.',
    zh: '结束已有这么久的月份（例如 `13mo`），其明细从数据库移到文件；同时须已超过 `retention.requests`。',
  }),
  to: setting('to', word(['media']), 'media', {
    en: 'Where these files are: in the media store.',
    zh: '这些文件的位置：媒体存储。',
  }),
}

export type ArchiveConfig = ValuesOf<typeof ARCHIVE>

export function readArchive(value: YamlValue): ArchiveConfig {
  const fields = fieldsOf(value, rulesOf(ARCHIVE), 'archive: { after: 13mo, to: media }')
  return fields ? readRows(fields, ARCHIVE) : defaultsOf(ARCHIVE)
}

function readMonths(value: YamlValue): number | 'off' | undefined {
  const text = scalarText(value, 'a number of months such as 13mo, or off')
  if (text === undefined || text === 'off') return text
  const [, digits] = /^(\d{1,4})\s?mo$/.exec(text) ?? []
  if (digits !== undefined && Number(digits) >= LEAST_MONTHS && Number(digits) <= MOST_MONTHS) return Number(digits)
  addMistake(
    value,
    `${quoteSource(value)} is not a number of months; write one from ${LEAST_MONTHS}mo to ${MOST_MONTHS}mo, such as 13mo, or off`,
  )
  return undefined
}
