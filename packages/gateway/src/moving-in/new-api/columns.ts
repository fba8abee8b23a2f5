// Tables and columns of new-api, as of version 1.0.0.

import type { Tables } from '../quota/columns.ts'
import { ABILITIES, OTHERS_OF_CHANNELS, OTHERS_OF_LOGS, OTHERS_OF_USERS } from '../quota/common-columns.ts'

const HISTORY = 'It is history, and stays in the old database.'
const AGAIN = 'People enrol again: what proves who they are cannot be carried over.'

export const TABLES: Tables = {
  users: {
    used: 'id username password display_name role status email quota used_quota group deleted_at created_at request_count last_login_at auth_version aff_code aff_count',
    others: [
      ...OTHERS_OF_USERS,
      [
        'discord_id telegram_id linux_do_id',
        'manual',
        'The account at the provider has to be linked anew, if it is set up in sign_in.',
      ],
      [
        'aff_quota',
        'manual',
        'A commission that was not taken out is no part of the balance. Give the account credit.',
      ],
      ['aff_history', 'not_supported', 'Commissions are not carried over.'],
      ['setting', 'not_supported', 'How people want to be notified is not carried over.'],
      ['remark', 'not_supported', 'There are no remarks on people here.'],
      ['stripe_customer', 'manual', 'The customer at the payment service is not linked.'],
    ],
  },
  tokens: {
    used: 'id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota model_limits_enabled model_limits allow_ips used_quota group cross_group_retry auto_groups deleted_at',
  },
  channels: {
    used: 'id type key open_ai_organization status name weight created_time test_time response_time base_url other balance_updated_time models group model_mapping priority auto_ban other_info setting param_override header_override channel_info settings',
    others: [
      ...OTHERS_OF_CHANNELS,
      ['test_model', 'not_supported', 'Upstreams are checked with the models that they have.'],
      ['status_code_mapping', 'manual', 'Statuses of upstreams are not changed here.'],
      ['tag remark', 'not_supported', 'Upstreams have no tags and no remarks.'],
    ],
  },
  redemptions: {
    used: 'id key status name quota created_time redeemed_time used_user_id deleted_at expired_time',
    others: [['user_id', 'not_supported', 'Who made a code is not carried over.']],
  },
  user_subscriptions: {
    used: 'id user_id amount_total amount_used start_time end_time status allow_wallet_overflow created_at updated_at plan_id source last_reset_time',
    others: [
      ['next_reset_time', 'manual', 'The amount is not filled up again at the next period.'],
      [
        'upgrade_group prev_user_group downgrade_group',
        'manual',
        'The group does not change when the subscription ends.',
      ],
    ],
  },
  logs: {
    used: 'id user_id created_at type token_name model_name quota prompt_tokens completion_tokens token_id group other',
    others: [
      ...OTHERS_OF_LOGS,
      [
        'use_time channel_name ip upstream_request_id',
        'approximate',
        'The log is carried over as sums by day, model and key.',
      ],
    ],
  },
  abilities: { used: ABILITIES },
  options: { used: 'key value' },
  setups: { used: 'id version initialized_at' },
  user_sessions: ['exact', 'People sign in again.'],
  auth_flows: ['exact', 'Sign-ins in progress begin again.'],
  external_identity_claims: ['manual', AGAIN],
  passkey_credentials: ['manual', AGAIN],
  two_fas: ['manual', AGAIN],
  two_fa_backup_codes: ['manual', AGAIN],
  user_oauth_bindings: ['manual', AGAIN],
  custom_oauth_providers: ['manual', 'Set up the providers in sign_in.'],
  midjourneys: ['not_supported', HISTORY],
  tasks: ['not_supported', HISTORY],
  top_ups: ['not_supported', HISTORY],
  checkins: ['not_supported', HISTORY],
  subscription_orders: ['not_supported', HISTORY],
  subscription_pre_consume_records: [
    'exact',
    'What is reserved for requests in progress is no part of what is carried over.',
  ],
  subscription_plans: ['not_supported', 'Plans are not sold here. What is left of a subscription is credit.'],
  quota_data: ['exact', 'These are sums of the log, which is read itself.'],
  perf_metrics: ['not_supported', HISTORY],
  models: ['manual', 'Descriptions of models are not carried over.'],
  vendors: ['not_supported', 'There are no vendors to show beside models.'],
  prefill_groups: ['not_supported', 'There are no lists for forms.'],
  system_instances: ['exact', 'These are states of that program.'],
  system_tasks: ['exact', 'These are states of that program.'],
  system_task_locks: ['exact', 'These are states of that program.'],
  casbin_rule: ['approximate', 'What administrators may do is decided by roles here.'],
  authz_roles: ['approximate', 'What administrators may do is decided by roles here.'],
}
