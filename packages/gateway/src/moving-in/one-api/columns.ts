// Tables and columns of one-api, as of version 0.6.11.

import type { Tables } from '../quota/columns.ts'
import { ABILITIES, OTHERS_OF_CHANNELS, OTHERS_OF_LOGS, OTHERS_OF_USERS } from '../quota/common-columns.ts'

export const TABLES: Tables = {
  users: {
    used: 'id username password display_name role status email quota used_quota group request_count aff_code',
    others: [
      ...OTHERS_OF_USERS,
      ['lark_id', 'manual', 'The account at the provider has to be linked anew, if it is set up in sign_in.'],
    ],
  },
  tokens: {
    used: 'id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota models subnet',
  },
  channels: {
    used: 'id type key status name created_time test_time response_time base_url other balance_updated_time models group model_mapping priority config system_prompt',
    others: [
      ...OTHERS_OF_CHANNELS,
      ['weight', 'exact', 'That program does not use it: all channels of one priority have the same share.'],
    ],
  },
  redemptions: {
    used: 'id key status name quota created_time redeemed_time',
    others: [['user_id', 'not_supported', 'Who made a code is not carried over.']],
  },
  logs: {
    used: 'id user_id created_at type token_name model_name quota prompt_tokens completion_tokens system_prompt_reset',
    others: [
      ...OTHERS_OF_LOGS,
      ['elapsed_time', 'approximate', 'The log is carried over as sums by day, model and key.'],
    ],
  },
  abilities: { used: ABILITIES },
  options: { used: 'key value' },
}
