import { en, type Said, texts } from '../say.ts'

type Period = { amount: string; period: string | null; hours: number | null }

export const notices = texts({
  name: en('Notices').zh('通知'),
  text: en('Which notices you get, where those of the account are sent, and what it was told.').zh(
    '选择接收哪些通知、账户通知发送到哪里，并查看已发送的通知。',
  ),
  open: en('Notices').zh('通知设置'),
  linkText: en('Email about budgets, the balance and stopped keys, and a webhook.').zh(
    '关于预算、余额和密钥停用的邮件，以及 Webhook。',
  ),
  email: {
    title: en('Email to you').zh('发给您的邮件'),
    text: en(
      'For all accounts that you belong to. An owner is told of everything, a member of their own keys and cap.',
    ).zh('适用于您所属的所有账户。所有者会收到全部通知，成员只收到与自己的密钥和上限有关的通知。'),
    none: en('This gateway sends no email.').zh('此网关不发送邮件。'),
    unset: en('As the operator has set it.').zh('当前为管理员的默认设置。'),
    kinds: {
      budget: en('A budget or a spending cap reaches a percentage').zh('预算或消费上限达到某个百分比'),
      balance: en('The balance gets low').zh('余额不足'),
      key: en('A key is stopped: deleted, expired or used up').zh('密钥停用：已删除、已过期或额度用完'),
      statement: en('The statement of a month is ready').zh('月度账单已生成'),
    } as Record<string, Said<string>>,
    reset: en('Use the default').zh('恢复默认'),
  },
  webhook: {
    title: en('Webhook of the account').zh('账户的 Webhook'),
    text: en('Each notice of the account is sent there as signed JSON. Empty: none.').zh(
      '账户的每条通知都会以带签名的 JSON 发送到该地址。留空则不发送。',
    ),
    url: en('URL').zh('URL'),
    wrong: en('Enter a URL such as https://example.com/notices.').zh('请输入 URL，例如 https://example.com/notices。'),
    secret: en('Signing secret').zh('签名密钥'),
  },
  list: {
    title: en('Last notices').zh('最近的通知'),
    empty: en('Nothing was told yet.').zh('还没有通知。'),
    at: en('Time').zh('时间'),
    what: en('Notice').zh('通知'),
    sent: en('Sent').zh('发送情况'),
    nobody: en('only listed').zh('仅列出'),
    webhook: en('webhook').zh('Webhook'),
    withheld: {
      hour: en('not sent: too many within an hour').zh('未发送：一小时内通知过多'),
      queue: en('not sent: too many are waiting').zh('未发送：等待发送的通知过多'),
    } as Record<string, Said<string>>,
    states: {
      waiting: en('waiting').zh('等待中'),
      sending: en('being sent').zh('发送中'),
      sent: en('sent').zh('已发送'),
      failed: en('failed').zh('失败'),
      unknown: en('unknown').zh('未知'),
    } as Record<string, Said<string>>,
  },
  about: {
    cap: en((whose: string) => `spending cap of ${whose}`).zh((whose) => `${whose}的消费上限`),
    budget: en((whose: string) => `budget of ${whose}`).zh((whose) => `${whose}的预算`),
    whose: {
      account: en(() => 'the account').zh(() => '账户'),
      member: en((name: string) => name).zh((name) => name),
      key: en((name: string) => `key ${name}`).zh((name) => `密钥 ${name} `),
      key_model: en((name: string) => `model ${name}`).zh((name) => `模型 ${name} `),
      tag: en((name: string) => `tag ${name}`).zh((name) => `标签 ${name} `),
      end_user: en((name: string) => `end user ${name}`).zh((name) => `最终用户 ${name} `),
    } as Record<string, Said<(name: string) => string>>,
    of: en(({ amount, period, hours }: Period) =>
      period === null
        ? `${amount} USD`
        : `${amount} USD ${period === 'hours' ? `every ${hours ?? 1} h` : `a ${period}`}`,
    ).zh(({ amount, period, hours }) =>
      period === null
        ? `${amount} USD`
        : `${{ day: '每天', week: '每周', month: '每月' }[period] ?? `每 ${hours ?? 1} 小时`} ${amount} USD`,
    ),
    used: en((what: string, percent: number, of: string) => `${percent} % of the ${what} used (${of})`).zh(
      (what, percent, of) => `${what}已使用 ${percent}%（${of}）`,
    ),
    balanceUsed: en(
      (percent: number, of: string, left: string) => `${percent} % of the balance of ${of} USD used, ${left} USD left`,
    ).zh((percent, of, left) => `余额 ${of} USD 已使用 ${percent}%，剩余 ${left} USD`),
    below: en((left: string, below: string) => `Balance ${left} USD, below ${below} USD`).zh(
      (left, below) => `余额 ${left} USD，低于 ${below} USD`,
    ),
    reasons: {
      deleted: en((name: string) => `Key ${name} was deleted`).zh((name) => `密钥 ${name} 已被删除`),
      expired: en((name: string) => `Key ${name} has expired`).zh((name) => `密钥 ${name} 已过期`),
      used_up: en((name: string) => `Key ${name} has nothing left to spend`).zh((name) => `密钥 ${name} 的额度已用完`),
      account_disabled: en(() => 'The account was disabled').zh(() => '账户已被停用'),
      person_disabled: en((name: string) => `${name} was disabled`).zh((name) => `${name} 已被停用`),
    } as Record<string, Said<(name: string) => string>>,
    statement: en((month: string) => `Statement of ${month}`).zh((month) => `${month} 账单`),
    other: en('Notice').zh('通知'),
  },
})
