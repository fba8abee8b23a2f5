// Section `registration`.
import { NANOS_PER_USD } from '../../money/amount.ts'
import type { YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { readBoolean, readInteger, readUsd } from '../../yaml/scalars.ts'
import type { FileConfig } from '../types.ts'

type Registration = FileConfig['registration']

/** New accounts get trial credit. With a real upstream that is the operator's money, so registration must be opened explicitly. */
export const registrationDefaults = (hasRealUpstream: boolean): Registration => ({
  open: !hasRealUpstream,
  trialCredit: 10n * NANOS_PER_USD,
  // While only the embedded models are there, trial credit costs nothing: every sign-up gets it, a class at once.
  trialBudgetPerDay: hasRealUpstream ? 100n * NANOS_PER_USD : undefined,
  accountsPerNetworkPerDay: hasRealUpstream ? 10 : 100,
  keepSandboxCredit: false,
})

const REGISTRATION_FIELDS = {
  open: true,
  trial_credit: true,
  trial_budget_per_day: true,
  accounts_per_network_per_day: true,
  keep_sandbox_credit: true,
} as const
const readAccounts = readInteger({ min: 1, max: 1_000_000 })

export const readRegistration =
  (defaults: Registration) =>
  (value: YamlValue): Registration => {
    const fields = fieldsOf(value, REGISTRATION_FIELDS, 'registration: { open: true, trial_credit: 10 }')
    if (!fields) return defaults
    return {
      open: fields.optional('open', readBoolean, defaults.open),
      trialCredit: fields.optional('trial_credit', readUsd, defaults.trialCredit),
      trialBudgetPerDay: fields.optional('trial_budget_per_day', readUsd, defaults.trialBudgetPerDay),
      accountsPerNetworkPerDay: fields.optional(
        'accounts_per_network_per_day',
        readAccounts,
        defaults.accountsPerNetworkPerDay,
      ),
      keepSandboxCredit: fields.optional('keep_sandbox_credit', readBoolean, defaults.keepSandboxCredit),
    }
  }
