// Section `retention`: how long contents are kept, in milliseconds; `off`: not at all.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, scalarText } from '../../yaml/fields.ts'
import { readDuration, STORAGE_TIME } from '../../yaml/scalars.ts'
import { defaultsOf, duration, durationOrOff, readRows, rulesOf, setting, type ValuesOf } from '../settings/setting.ts'

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
