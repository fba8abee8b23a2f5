// Options of one-api.
import { COMMON_OPTIONS } from '../quota/common-options.ts'
import type { OptionRule } from '../quota/options.ts'

export const OPTIONS: readonly OptionRule[] = [
  ...COMMON_OPTIONS,
  [/^MessagePusher/, 'manual', 'Set alerts: their targets are webhooks and addresses.'],
]
