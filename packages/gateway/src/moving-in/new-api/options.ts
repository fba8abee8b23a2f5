// Options of new-api.
import { COMMON_OPTIONS } from '../quota/common-options.ts'
import type { OptionRule } from '../quota/options.ts'

const PAYMENTS = 'Payments are not carried over. Set them up here.'
const LOOKS = 'How that program looks is not carried over.'

export const OPTIONS: readonly OptionRule[] = [
  ...COMMON_OPTIONS,
  [/^(ModelPrice|CacheRatio|CreateCacheRatio|ImageRatio|AudioRatio|AudioCompletionRatio)$/, 'exact'],
  [/^billing_setting\.billing_(mode|expr)$/, 'exact'],
  [/^billing_setting\./, 'manual', 'This rule of billing does not exist here.'],
  [/^tool_price_setting\./, 'manual', 'Give the models prices of hosted tools: price.tools.'],
  [/^(GroupGroupRatio|UserUsableGroups|AutoGroups|SelfUseModeEnabled)$/, 'exact'],
  [/^group_ratio_setting\.group_special_usable_group$/, 'exact'],
  [/^DefaultUseAutoGroup$/, 'approximate', 'New keys are in the group that their person chooses.'],
  [/^MaxTokenAutoGroups$/, 'exact', 'It only limits new keys there.'],
  [/^TopupGroupRatio$/, 'not_supported', 'What people pay for credit does not depend on their group.'],
  [/^ModelRequestRateLimit/, 'manual', 'Set limits of requests per minute on accounts or keys.'],
  [/^(Sensitive|CheckSensitive|StopOnSensitive|StreamCacheQueue)/, 'not_supported', 'Words are not filtered here.'],
  [
    /^(Pay|Epay|Stripe|Creem|Waffo|Xunhu|MinTopUp|Price|USDExchangeRate|CustomCallbackAddress|payment_setting\.|AmountOptions|AmountDiscount)/,
    'manual',
    PAYMENTS,
  ],
  [/^(Mj|Midjourney|Drawing|Task|Suno)/, 'not_supported', 'There are no protocols of Midjourney and Suno here.'],
  [
    /^(Worker|fetch_setting\.)/,
    'not_supported',
    'URLs in requests are fetched by the gateway itself, or by the upstream.',
  ],
  [/^(theme|console_setting|legal|DefaultCollapseSidebar|HeaderNavModules|SidebarModules)/, 'not_supported', LOOKS],
  [
    /^(DemoSiteEnabled|DataExport|ExposeRatioEnabled|CreateCacheRatio5m)/,
    'exact',
    'It changes nothing that is carried over.',
  ],
  [/^(passkey|oidc|discord)\./, 'manual', 'Set up the provider in sign_in, with a client of its own.'],
  [
    /^(claude|gemini|grok|qwen|global|model_setting)\./,
    'manual',
    'Requests are translated by the rules of this gateway. Set fields on the routes where it matters.',
  ],
  [/^(checkin_setting|quota_setting)\./, 'not_supported', 'There is no credit for visits.'],
  [
    /^(performance_setting|monitor_setting|general_setting|channel_affinity_setting|perf_metrics_setting|log_setting)\./,
    'not_supported',
    'It is a setting of that program alone.',
  ],
]
