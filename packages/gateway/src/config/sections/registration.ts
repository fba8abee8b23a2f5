// Section `registration`.
import { NANOS_PER_USD } from '../../money/amount.ts'
import type { YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { boolean, defaultsOf, integer, readRows, rulesOf, setting, usd, type ValuesOf } from '../settings/setting.ts'

/** New accounts get trial credit. With a real upstream that is the operator's money, so registration must be opened explicitly. */
export const registrationRows = (hasRealUpstream: boolean) => ({
  open: setting('open', boolean, !hasRealUpstream, {
    en: 'Anybody may sign up. On by default while there is no real upstream.',
    zh: '任何人都可以注册。没有真实上游时默认开启。',
  }),
  trialCredit: setting('trial_credit', usd, 10n * NANOS_PER_USD, {
    en: 'What a new account gets, in USD.',
    zh: '新账户获得的试用额度（USD）。',
  }),
  // While only the embedded models are there, trial credit costs nothing: every sign-up gets it, a class at once.
  trialBudgetPerDay: setting<bigint | undefined>(
    'trial_budget_per_day',
    usd,
    hasRealUpstream ? 100n * NANOS_PER_USD : undefined,
    {
      en: 'Trial credit of all new accounts within a day. None: no bound.',
      zh: '每天发放给所有新账户的试用额度。留空表示不限。',
    },
  ),
  accountsPerNetworkPerDay: setting(
    'accounts_per_network_per_day',
    integer({ min: 1, max: 1_000_000 }),
    hasRealUpstream ? 10 : 100,
    {
      en: 'Sign-ups from one network within a day.',
      zh: '同一网络每天最多可注册的账户数。',
    },
  ),
  keepSandboxCredit: setting('keep_sandbox_credit', boolean, false, {
    en: 'Keep unspent trial credit of the sandbox when the first real upstream is added.',
    zh: '添加第一个真实上游时，保留沙盒中未用完的试用额度。',
  }),
})

export type Registration = ValuesOf<ReturnType<typeof registrationRows>>

export const registrationDefaults = (hasRealUpstream: boolean): Registration =>
  defaultsOf(registrationRows(hasRealUpstream))

export const readRegistration =
  (defaults: Registration) =>
  (value: YamlValue): Registration => {
    const rows = registrationRows(false)
    const fields = fieldsOf(value, rulesOf(rows), 'registration: { open: true, trial_credit: 10 }')
    return fields ? readRows(fields, rows, defaults) : defaults
  }
