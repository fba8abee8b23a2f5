// Section `retention`.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, scalarText } from '../../yaml/fields.ts'
import { readDuration, STORAGE_TIME } from '../../yaml/scalars.ts'
import type { Retention } from '../types.ts'

const HOUR = 3600 * 1000
const DAY = 24 * HOUR

export const RETENTION_DEFAULTS: Retention = {
  responses: 30 * DAY,
  reasoning: DAY,
  idempotency: DAY,
  requests: 400 * DAY,
  media: DAY,
  tasks: 7 * DAY,
  audit: 400 * DAY,
}

const RETENTION_FIELDS = {
  responses: true,
  reasoning: true,
  idempotency: true,
  requests: true,
  media: true,
  tasks: true,
  audit: true,
} as const

export function readRetention(value: YamlValue): Retention {
  const fields = fieldsOf(value, RETENTION_FIELDS, 'retention: { responses: 30d, requests: 400d }')
  if (!fields) return RETENTION_DEFAULTS
  const read = (name: Exclude<keyof Retention, 'tasks'>) => fields.optional(name, readKept, RETENTION_DEFAULTS[name])
  return {
    responses: read('responses'),
    reasoning: read('reasoning'),
    idempotency: read('idempotency'),
    requests: read('requests'),
    media: read('media'),
    audit: read('audit'),
    tasks: fields.optional('tasks', readTasks, RETENTION_DEFAULTS.tasks),
  }
}

function readKept(value: YamlValue): number | 'off' | undefined {
  const text = scalarText(value, 'a duration such as 30d, or off')
  if (text === undefined) return undefined
  return text === 'off' ? 'off' : readDuration(STORAGE_TIME)(value)
}

/** Clients ask for the result of a task later. */
function readTasks(value: YamlValue): number | undefined {
  const text = scalarText(value, 'a duration such as 7d')
  if (text === 'off') addMistake(value, 'tasks are always kept for a while; write a duration such as 7d')
  return text === undefined || text === 'off' ? undefined : readDuration({ ...STORAGE_TIME, min: HOUR })(value)
}
