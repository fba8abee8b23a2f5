import { en, texts } from '../../../i18n/say.ts'

export const budgets = texts({
  title: en('Budgets').zh('预算'),
  text: en('What accounts, keys, tags and users may spend. Caps are listed beside budgets.').zh(
    '账户、密钥、标签和用户可以花费的金额。上限与预算一并列出。',
  ),
  account: en('Account').zh('账户'),
  accountHint: en('ID, name or email').zh('ID、名称或邮箱'),
  accountOptional: en('ID, name or email. Empty: over all accounts.').zh('ID、名称或邮箱。留空：所有账户合计。'),
  accountMissing: en('Enter an account.').zh('请输入账户。'),
  allAccounts: en('All accounts').zh('所有账户'),
  kind: en('Kind').zh('类型'),
  value: en('Tag, end user or group').zh('标签、终端用户或分组'),
  setBy: en('Set by').zh('设置者'),
  view: en('View').zh('视图'),
  views: {
    all: en('All').zh('全部'),
    reached: en('Reached').zh('已用完'),
    across: en('Over all accounts').zh('跨账户'),
  },
  personHint: en('The email address of a member.').zh('成员的邮箱。'),
  review: en('Check').zh('预览更改'),
  capText: en('This is a cap. Change it where it is set.').zh('这是上限，请在设置它的地方更改。'),
  openCap: en('Open').zh('打开'),
  across: en('New requests stop within 5 seconds of reaching it; requests that run by then may exceed it.').zh(
    '达到后 5 秒内停止新请求；此时仍在运行的请求可能超出预算。',
  ),
  empty: en('No budgets').zh('没有预算'),
  emptyText: en('Create one to limit what a team, a key, a user or everything may spend.').zh(
    '创建预算，以限制团队、密钥、用户或全部花费。',
  ),
  none: en('No budget matches').zh('没有匹配的预算'),
  clear: en('Clear filters').zh('清除筛选'),
})
