// The small sections: `registration`, `sandbox`, `retention`.
import { isMap } from 'yaml'
import { NANOS_PER_USD } from '../../money/amount.ts'
import type { FileConfig, Retention } from '../types.ts'
import { addMistake, type YamlValue } from '../yaml/document.ts'
import { fieldsOf, scalarText } from '../yaml/fields.ts'
import { readBoolean, readDuration, readUsd, STORAGE_TIME } from '../yaml/scalars.ts'

type Registration = FileConfig['registration']

/** New accounts get trial credit. With a real upstream that is the operator's money, so registration must be opened explicitly. */
export const registrationDefaults = (hasRealUpstream: boolean): Registration => ({
  open: !hasRealUpstream,
  trialCredit: 10n * NANOS_PER_USD,
  trialBudgetPerDay: 100n * NANOS_PER_USD,
})

const REGISTRATION_FIELDS = { open: true, trial_credit: true, trial_budget_per_day: true } as const

export const readRegistration =
  (defaults: Registration) =>
  (value: YamlValue): Registration => {
    const fields = fieldsOf(value, REGISTRATION_FIELDS, 'registration: { open: true, trial_credit: 10 }')
    if (!fields) return defaults
    return {
      open: fields.optional('open', readBoolean, defaults.open),
      trialCredit: fields.optional('trial_credit', readUsd, defaults.trialCredit),
      trialBudgetPerDay: fields.optional('trial_budget_per_day', readUsd, defaults.trialBudgetPerDay),
    }
  }

/** `on` undefined: not in the file; the default depends on whether there is a real upstream. */
export type WrittenSandbox = { on: boolean | undefined; faults: boolean | undefined }

export function readSandboxSection(value: YamlValue): WrittenSandbox {
  if (!isMap(value.context.resolve(value.node))) {
    const text = scalarText(value, 'true, false or { faults: true }')
    if (text !== undefined && text !== 'true' && text !== 'false') {
      addMistake(value, 'expected true, false or { faults: true }')
    }
    return { on: text === undefined ? undefined : text === 'true', faults: undefined }
  }
  const fields = fieldsOf(value, { faults: true }, '{ faults: true }')
  return { on: true, faults: fields?.optional<boolean | undefined>('faults', readBoolean, undefined) }
}

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
