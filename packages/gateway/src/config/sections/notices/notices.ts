// Section `notices`: what account holders are told who have not chosen otherwise, and how much of it is sent.
import { NOTICE_KINDS } from '../../../storage/console/notices.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { fieldsOf, listOf } from '../../../yaml/fields.ts'
import { readWord } from '../../../yaml/scalars.ts'
import { boolean, integer, percent, readRows, rulesOf, setting, type ValuesOf, words } from '../../settings/setting.ts'

const MOST_PERCENTS = 10

/** Rising, each once. */
const percents = {
  type: 'texts' as const,
  read(value: YamlValue): readonly number[] | undefined {
    const list = listOf(percent.read, '[80%, 100%]')(value)
    if (list === undefined || list.length <= MOST_PERCENTS)
      return list && [...new Set(list)].sort((one, other) => one - other)
    addMistake(value, `has ${list.length} percentages; at most ${MOST_PERCENTS} are allowed`)
    return undefined
  },
  write: (list: readonly number[]) => list.map(percent.write),
  words: [],
}

export const NOTICES = {
  email: setting(
    'email',
    words(NOTICE_KINDS, listOf(readWord(NOTICE_KINDS), '[budget, key]')),
    ['budget', 'balance', 'key'],
    {
      en: 'What people are told by email who have not chosen in the console. Needs `mail`.',
      zh: '未在控制台中自行选择的人通过邮件收到的通知。需要先设置 `mail`。',
    },
  ),
  percents: setting('percents', percents, [80, 100], {
    en: 'At which percentages of a spending cap, and of the balance after the last credit, account holders are told. A budget has percentages of its own.',
    zh: '消费上限以及最近一次充值后的余额用到哪些百分比时通知账户持有人。预算有各自的百分比。',
  }),
  perHour: setting('per_hour', integer({ min: 1, max: 1_000 }), 20, {
    en: 'How many notices of an account are sent within an hour; further ones are only listed in the console.',
    zh: '每个账户每小时最多发送多少条通知；超出的只在控制台中列出。',
  }),
  webhooks: setting('webhooks', boolean, true, {
    en: 'Account owners may have notices sent to a webhook.',
    zh: '账户所有者可以让通知发送到 Webhook。',
  }),
}

export type NoticesConfig = ValuesOf<typeof NOTICES>

export function readNotices(value: YamlValue) {
  const fields = fieldsOf(value, rulesOf(NOTICES), 'notices: { email: [budget, balance, key], percents: [80%, 100%] }')
  return fields && readRows(fields, NOTICES)
}
