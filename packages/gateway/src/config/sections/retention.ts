// Section `retention`.
import type { Retention } from '../types.ts'
import type { YamlValue } from '../yaml/document.ts'
import { fieldsOf, scalarText } from '../yaml/fields.ts'
import { readDuration, STORAGE_TIME } from '../yaml/scalars.ts'

const DAY = 24 * 3600 * 1000

export const RETENTION_DEFAULTS: Retention = {
  responses: 30 * DAY,
  reasoning: DAY,
  idempotency: DAY,
  requests: 400 * DAY,
  media: DAY,
}

const RETENTION_FIELDS = { responses: true, reasoning: true, idempotency: true, requests: true, media: true } as const

export const readRetention =
  (warnings: string[]) =>
  (value: YamlValue): Retention => {
    const fields = fieldsOf(value, RETENTION_FIELDS, 'retention: { responses: 30d, requests: 400d }')
    if (!fields) return RETENTION_DEFAULTS
    for (const name of ['responses', 'reasoning'] as const) {
      const isWritten = fields.get(name) !== undefined
      if (isWritten) warnings.push(`retention.${name} has no effect: this version stores no ${name}`)
    }
    const read = (name: keyof Retention) => fields.optional(name, readKept, RETENTION_DEFAULTS[name])
    return {
      responses: read('responses'),
      reasoning: read('reasoning'),
      idempotency: read('idempotency'),
      requests: read('requests'),
      media: read('media'),
    }
  }

function readKept(value: YamlValue): number | 'off' | undefined {
  const text = scalarText(value, 'a duration such as 30d, or off')
  if (text === undefined) return undefined
  return text === 'off' ? 'off' : readDuration(STORAGE_TIME)(value)
}
