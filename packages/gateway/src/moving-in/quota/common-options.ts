// What both programs say of the options that they have alike.
import type { OptionRule } from './options.ts'

const TEXTS = 'Texts of pages are not carried over.'
const SIGN_IN = 'Set up the provider in sign_in, with a client of its own.'

export const COMMON_OPTIONS: readonly OptionRule[] = [
  [/^(QuotaPerUnit|ModelRatio|CompletionRatio|GroupRatio|SystemName|QuotaForNewUser)$/, 'exact'],
  [/^(RegisterEnabled|PasswordRegisterEnabled)$/, 'exact'],
  [/^SMTP(Server|Port|Account|Token|From|SSLEnabled)$/, 'exact'],
  [/^EmailVerificationEnabled$/, 'exact', 'With a mail server addresses are verified.'],
  [/^PasswordLoginEnabled$/, 'manual', 'Set sign_in.password.'],
  [
    /^(Email.*Restriction.*|EmailDomainWhitelist)$/,
    'manual',
    'Who may sign up is not limited by the domain of the address.',
  ],
  [/^(GitHub|Lark|Wechat|WeChat|Oidc|LinuxDO|Telegram|Google)/i, 'manual', SIGN_IN],
  [/^Turnstile/, 'not_supported', 'Sign-ups are limited by network instead: see registration.'],
  [/^RetryTimes$/, 'approximate', 'A failed request goes to the next route by itself, as often as there are routes.'],
  [/^ServerAddress$/, 'manual', 'Set server.public_url when the name points to this gateway.'],
  [/^QuotaFor(Inviter|Invitee)$/, 'not_supported', 'There is no reward for invitations.'],
  [
    /^(QuotaRemindThreshold|PreConsumedQuota|ApproximateTokenEnabled)$/,
    'approximate',
    'Each request holds the most that it can cost. People choose below which balance they are told.',
  ],
  [
    /^(AutomaticDisable|AutomaticEnable|ChannelDisableThreshold)/,
    'approximate',
    'Keys that fail rest and are tried again by themselves.',
  ],
  [/^(TopUpLink|ChatLink|Chats)$/, 'not_supported', TEXTS],
  [/^(Notice|About|HomePageContent|Footer|Logo|Theme)$/, 'not_supported', TEXTS],
  [/^(Display|LogConsume)/, 'exact', 'Every request is in the log, and amounts are in USD.'],
  [/^(File|Image)(Up|Down)loadPermission$/, 'exact', 'That program does not use it.'],
]
