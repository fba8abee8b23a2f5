// What both programs say of the columns that they have alike.
import type { OtherColumns } from './columns.ts'

export const OTHERS_OF_USERS: readonly OtherColumns[] = [
  [
    'wechat_id oidc_id github_id',
    'manual',
    'The account at the provider has to be linked anew, if it is set up in sign_in.',
  ],
  ['access_token', 'manual', 'Tokens for the management API do not work here. Make an admin key.'],
  ['inviter_id', 'not_supported', 'Who invited whom is not carried over.'],
]
export const OTHERS_OF_CHANNELS: readonly OtherColumns[] = [
  ['balance', 'not_supported', 'Balances at vendors are not kept here.'],
  ['used_quota', 'not_supported', 'What a channel has cost is in the log, and not carried over by channel.'],
]
export const OTHERS_OF_LOGS: readonly OtherColumns[] = [
  [
    'content username channel_id request_id is_stream',
    'approximate',
    'The log is carried over as sums by day, model and key.',
  ],
]
export const ABILITIES = 'group model channel_id enabled priority weight tag'
