// Notices as emails, in the languages of the console. Plain text: nothing to track, nothing to render.
import type { Language } from '../mail/letters.ts'
import type { Letter } from '../mail/mailer.ts'
import type { BalanceFacts, BudgetFacts, Facts, KeyFacts, KeyShown } from './facts.ts'

/** `account`: its name. `name`: of the console. `base`: where the console is. */
export type About = { account: string; name: string; base: string }
/** `page`: what to look at. */
type Said = { subject: string; lines: readonly string[]; page: string }

export function letterOf(facts: Facts, { account, name, base }: About, language: Language): Letter {
  const words = WORDS[language]
  const { subject, lines, page } = words.say(facts)
  const [at, choose] = [`${base}/console${page}`, `${base}/console/settings/notices`]
  const text = [...lines, '', `${words.account}: ${account}`, at, '', `${words.choose}:`, choose]
  return { subject: `${name}: ${subject}`, text: `${text.join('\n')}\n` }
}

/** `2026-01-31 00:00 UTC` */
const timeOf = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`

const USAGE = '/usage'
const KEYS = '/keys'
const WALLET = '/wallet'

type Words = { account: string; choose: string; say(facts: Facts): Said }

const keyNamed = ({ name, last_four }: KeyShown, quote: readonly [string, string]): string =>
  `${quote[0]}${name}${quote[1]}${last_four === '' ? '' : ` (...${last_four})`}`

const EN: Words = {
  account: 'Account',
  choose: 'Choose which notices you get',
  say(facts) {
    switch (facts.kind) {
      case 'budget':
        return sayBudget(facts)
      case 'balance':
        return sayBalance(facts)
      case 'key':
        return sayKey(facts)
      case 'statement':
        return {
          subject: `the statement of ${facts.month} is ready`,
          lines: [
            `The statement of ${facts.month} is ready: balances, credits and charges, to view, print or download.`,
          ],
          page: `${WALLET}/statements/${facts.month}`,
        }
    }
  },
}

const EN_QUOTES = ["'", "'"] as const

function subjectInEnglish({ of, key, member, model, value, budget_id }: BudgetFacts): string {
  const what = budget_id === null ? 'the spending cap' : 'the budget'
  const keyName = key === null ? 'a key' : `key ${keyNamed(key, EN_QUOTES)}`
  const whose: Readonly<Record<BudgetFacts['of'], string>> = {
    account: 'the account',
    member: member ?? 'a member',
    key: keyName,
    key_model: `model ${model} of ${keyName}`,
    tag: `tag ${value}`,
    end_user: `end user ${value}`,
    group: `group ${value}`,
    all: 'all accounts',
  }
  return `${what} of ${whose[of]}`
}

function amountInEnglish({ amount_usd, period, every_hours }: BudgetFacts): string {
  const usd = `${amount_usd} USD`
  if (period === null) return `${usd} in all`
  if (period !== 'hours') return `${usd} a ${period}`
  return every_hours === null || every_hours === 1 ? `${usd} an hour` : `${usd} every ${every_hours} hours`
}

function sayBudget(facts: BudgetFacts): Said {
  const { percent, spent_usd, is_hard, begins_anew_at } = facts
  const subject = subjectInEnglish(facts)
  const isAll = percent >= 100
  const until = begins_anew_at === null ? 'until it is raised' : `until it is raised or begins anew`
  return {
    subject: isAll ? `${subject} is used up` : `${percent} % of ${subject} is used`,
    lines: [
      `${isAll ? 'All' : `${percent} %`} of ${subject} is used: ${spent_usd} USD are spent of ${amountInEnglish(facts)}.`,
      ...(begins_anew_at === null ? [] : [`It begins anew at ${timeOf(begins_anew_at)}.`]),
      ...(isAll && is_hard ? [`Requests that count against it are rejected ${until}.`] : []),
      ...(is_hard ? [] : ['It only warns: no request is rejected.']),
    ],
    page: USAGE,
  }
}

function sayBalance({ balance_usd, below_usd, percent, of_usd }: BalanceFacts): Said {
  const isAll = percent !== null && percent >= 100
  return {
    subject: isAll ? 'the balance is used up' : `the balance is ${balance_usd} USD`,
    lines: [
      below_usd === null
        ? `${isAll ? 'All' : `${percent} %`} of the balance of ${of_usd} USD is used: ${balance_usd} USD are left.`
        : `The balance is ${balance_usd} USD, and what is left is less than ${below_usd} USD, the amount that you have chosen.`,
      ...(isAll ? ['Requests that cost something are rejected, unless the account has a credit line.'] : []),
    ],
    page: WALLET,
  }
}

function sayKey({ reason, key, member, note, budget }: KeyFacts): Said {
  const named = key === null ? 'A key' : `Key ${keyNamed(key, EN_QUOTES)}`
  const subject = key === null ? 'keys are stopped' : `key ${keyNamed(key, EN_QUOTES)} is stopped`
  const lines: Readonly<Record<KeyFacts['reason'], string>> = {
    deleted: `${named} was deleted.`,
    expired: `${named} has expired.`,
    used_up: `${named} has nothing left to spend.`,
    account_disabled: 'The account was disabled by the operator: its keys are rejected.',
    person_disabled: `${member ?? 'A member'} was disabled by the operator: the keys of this person are rejected.`,
  }
  return {
    subject,
    lines: [
      lines[reason],
      ...(note === '' ? [] : [`Reason: ${note}`]),
      ...(budget === null ? [] : sayBudget(budget).lines),
    ],
    page: KEYS,
  }
}

const ZH: Words = {
  account: '账户',
  choose: '选择您要接收的通知',
  say(facts) {
    switch (facts.kind) {
      case 'budget':
        return sayBudgetInChinese(facts)
      case 'balance':
        return sayBalanceInChinese(facts)
      case 'key':
        return sayKeyInChinese(facts)
      case 'statement':
        return {
          subject: `${facts.month} 对账单已生成`,
          lines: [`${facts.month} 的对账单已生成，包括余额、充值和消费，可以查看、打印或下载。`],
          page: `${WALLET}/statements/${facts.month}`,
        }
    }
  },
}

const ZH_QUOTES = ['“', '”'] as const

function subjectInChinese({ of, key, member, model, value, budget_id }: BudgetFacts): string {
  const what = budget_id === null ? '消费上限' : '预算'
  const keyName = key === null ? '某个密钥' : `密钥${keyNamed(key, ZH_QUOTES)}`
  const whose: Readonly<Record<BudgetFacts['of'], string>> = {
    account: '账户',
    member: `成员 ${member ?? ''}`.trim(),
    key: keyName,
    key_model: `${keyName}的模型 ${model} `,
    tag: `标签 ${value} `,
    end_user: `最终用户 ${value} `,
    group: `分组 ${value} `,
    all: '所有账户',
  }
  return `${whose[of]}的${what}`
}

const ZH_PERIODS: Readonly<Record<string, string>> = { day: '每天', week: '每周', month: '每月' }

function amountInChinese({ amount_usd, period, every_hours }: BudgetFacts): string {
  if (period === null) return `总计 ${amount_usd} USD`
  return `${ZH_PERIODS[period] ?? `每 ${every_hours ?? 1} 小时`} ${amount_usd} USD`
}

function sayBudgetInChinese(facts: BudgetFacts): Said {
  const { percent, spent_usd, is_hard, begins_anew_at } = facts
  const subject = subjectInChinese(facts)
  const isAll = percent >= 100
  const until = begins_anew_at === null ? '直到提高金额' : '直到提高金额或重新计算'
  return {
    subject: isAll ? `${subject}已用完` : `${subject}已使用 ${percent}%`,
    lines: [
      `${subject}${isAll ? '已全部用完' : `已使用 ${percent}%`}：已消费 ${spent_usd} USD，额度为${amountInChinese(facts)}。`,
      ...(begins_anew_at === null ? [] : [`将于 ${timeOf(begins_anew_at)} 重新计算。`]),
      ...(isAll && is_hard ? [`受其限制的请求会被拒绝，${until}。`] : []),
      ...(is_hard ? [] : ['此预算仅用于提醒，不会拒绝请求。']),
    ],
    page: USAGE,
  }
}

function sayBalanceInChinese({ balance_usd, below_usd, percent, of_usd }: BalanceFacts): Said {
  const isAll = percent !== null && percent >= 100
  return {
    subject: isAll ? '余额已用完' : `余额为 ${balance_usd} USD`,
    lines: [
      below_usd === null
        ? `余额 ${of_usd} USD ${isAll ? '已全部用完' : `已使用 ${percent}%`}，剩余 ${balance_usd} USD。`
        : `余额为 ${balance_usd} USD，可用金额已低于您设置的 ${below_usd} USD。`,
      ...(isAll ? ['产生费用的请求会被拒绝，除非账户有信用额度。'] : []),
    ],
    page: WALLET,
  }
}

function sayKeyInChinese({ reason, key, member, note, budget }: KeyFacts): Said {
  const named = key === null ? '某个密钥' : `密钥${keyNamed(key, ZH_QUOTES)}`
  const lines: Readonly<Record<KeyFacts['reason'], string>> = {
    deleted: `${named}已被删除。`,
    expired: `${named}已过期。`,
    used_up: `${named}的额度已用完。`,
    account_disabled: '账户已被管理员停用，其密钥会被拒绝。',
    person_disabled: `${member ?? '某位成员'}已被管理员停用，其密钥会被拒绝。`,
  }
  return {
    subject: key === null ? '密钥已停用' : `${named}已停用`,
    lines: [
      lines[reason],
      ...(note === '' ? [] : [`原因：${note}`]),
      ...(budget === null ? [] : sayBudgetInChinese(budget).lines),
    ],
    page: KEYS,
  }
}

const WORDS: Readonly<Record<Language, Words>> = { en: EN, zh: ZH }
