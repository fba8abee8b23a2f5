import { en, type Said, texts } from '../say.ts'

export const wallet = texts({
  title: en('Wallet').zh('钱包'),
  balance: en('Balance').zh('余额'),
  held: en('Held').zh('冻结中'),
  balanceNote: en('Includes held funds').zh('含冻结金额'),
  heldNote: en('Reserved for running requests').zh('因运行中的请求而冻结'),
  available: en('Available').zh('可用余额'),
  availableNote: en('For new requests').zh('可用于新请求'),
  availableWithLine: en('For new requests, with your credit line').zh('可用于新请求，含信用额度'),
  creditLine: en('Credit line').zh('信用额度'),
  creditLineNote: en('You may spend this much beyond your balance').zh('余额之外还可使用的金额'),
  capLeft: en('Left under the cap').zh('上限内剩余'),
  capNote: en(
    (cap: string, period: 'day' | 'week' | 'month' | null) =>
      `The operator has set a cap of ${cap} USD${period === null ? '' : ` per ${period}`}`,
  ).zh(
    (cap, period) =>
      `运营人员设置的上限为${period === null ? '' : { day: '每天', week: '每周', month: '每月' }[period]} ${cap} USD`,
  ),
  low: en(
    (available: string, threshold: string) =>
      `Your available balance is ${available} USD, below ${threshold} USD. Requests are rejected once it is used up.`,
  ).zh((available, threshold) => `可用余额为 ${available} USD，低于 ${threshold} USD。余额用尽后请求会被拒绝。`),
  empty: en(
    (available: string) =>
      `Your available balance is ${available} USD. Paid requests are rejected until you add credit.`,
  ).zh((available) => `可用余额为 ${available} USD。充值之前，付费请求会被拒绝。`),
  emptyWhileHeld: en(
    (available: string, held: string) =>
      `Your available balance is ${available} USD, and ${held} USD is held for running requests. Paid requests are rejected until these end or you add credit.`,
  ).zh(
    (available, held) =>
      `可用余额为 ${available} USD，另有 ${held} USD 因运行中的请求而冻结。在这些请求结束或充值之前，付费请求会被拒绝。`,
  ),
  addInOperate: en('Add credit in Operate').zh('前往运营充值'),
  topUp: {
    title: en('Add credit').zh('充值'),
    text: en('Redeem a code, or ask the operator of this gateway.').zh('使用兑换码，或联系运营人员。'),
    support: en('How to add credit').zh('如何充值'),
    code: en('Redemption code').zh('兑换码'),
    codeHint: en('Five groups of four characters. A code works once.').zh(
      '五组，每组四个字符。每个兑换码只能使用一次。',
    ),
    redeem: en('Redeem').zh('兑换'),
    missing: en('Enter a code.').zh('请输入兑换码。'),
    tooMany: en((minutes: string) => `Too many attempts. Retry in ${minutes} min.`).zh(
      (minutes) => `尝试次数过多，请在 ${minutes} 分钟后重试。`,
    ),
    done: en((amount: string) => `${amount} USD was added to your balance.`).zh(
      (amount) => `充值成功：${amount} USD。`,
    ),
  },
  open: {
    title: en('Held now').zh('当前冻结'),
    text: en('The maximum cost of a request is held while it runs. The unused part is released.').zh(
      '请求运行期间会冻结其可能的最高费用，未用的部分会解冻。',
    ),
    empty: en('Nothing is held.').zh('当前没有冻结金额。'),
    started: en('Started').zh('开始时间'),
    model: en('Model').zh('模型'),
    key: en('Key').zh('密钥'),
    amount: en('Held').zh('冻结金额'),
  },
  history: {
    title: en('History').zh('交易记录'),
    text: en('Charges are summed by day (UTC).').zh('扣费按天（UTC）汇总。'),
    empty: en('No transactions yet.').zh('还没有交易记录。'),
    at: en('Date').zh('日期'),
    what: en('Description').zh('说明'),
    amount: en('Amount').zh('金额'),
    balance: en('Balance after').zh('变动后余额'),
    usage: en((shown: string, requests: number) => `Usage: ${shown} ${requests === 1 ? 'request' : 'requests'}`).zh(
      (requests) => `用量：${requests} 个请求`,
    ),
    credit: en('Credit').zh('充值'),
    debit: en('Balance adjustment').zh('余额调整'),
    reasons: {
      'opening credit': en('Trial or opening credit').zh('试用或初始额度'),
      'trial credit': en('Trial credit').zh('试用额度'),
      'trial credit of the sandbox taken back': en('Unused trial credit of the sandbox, removed').zh(
        '收回未使用的沙盒试用额度',
      ),
      'redeemed code': en('Redeemed code').zh('兑换码'),
    } as Record<string, Said<string>>,
  },
  statements: {
    title: en('Statements').zh('月度账单'),
    text: en('What each month (UTC) began and ended with, to read, print or download.').zh(
      '每月（UTC）的期初与期末余额及明细，可查看、打印或下载。',
    ),
    titleOf: en((month: string) => `Statement of ${month}`).zh((month) => `${month} 账单`),
    print: en('Print').zh('打印'),
    sums: en('Summary').zh('汇总'),
    account: en('Account').zh('账户'),
    model: en('Model').zh('模型'),
    key: en('Key').zh('密钥'),
    member: en('Member').zh('成员'),
    day: en('Day').zh('日期'),
    notOver: en('The month is not over: this is how it stands now.').zh('本月尚未结束，以下为截至目前的数据。'),
    opening: en('Opening balance').zh('期初余额'),
    closing: en('Closing balance').zh('期末余额'),
    credits: en('Credits').zh('充值'),
    refunds: en('Of which refunds').zh('其中退款'),
    debits: en('Adjustments').zh('余额调整'),
    charges: en('Charges').zh('扣费'),
    byModel: en('By model').zh('按模型'),
    byKey: en('By key').zh('按密钥'),
    byMember: en('By member').zh('按成员'),
    byDay: en('By day').zh('按天'),
    requests: en('Requests').zh('请求数'),
    others: en('All others').zh('其余'),
    noMember: en('Keys of no member').zh('不属于任何成员的密钥'),
    noCharges: en('Nothing was charged.').zh('没有扣费。'),
    creditsAndDebits: en('Credits and adjustments').zh('充值与余额调整'),
    noCredits: en('There were none.').zh('没有记录。'),
    empty: en('No statements yet.').zh('尚无账单。'),
    month: en('Month').zh('月份'),
    credited: en('Credited').zh('充值'),
    spent: en('Spent').zh('消费'),
    download: en('Download CSV').zh('下载 CSV'),
    statementOf: en((month: string) => `statement of ${month}`).zh((month) => `${month} 账单`),
  },
  notice: {
    title: en('Low-balance notice').zh('低余额提醒'),
    text: en('The console shows a notice while your available balance is below this amount, and you get an email.').zh(
      '可用余额低于此金额时，控制台会显示提醒，并向您发送邮件。',
    ),
    amount: en('Amount in USD').zh('金额（USD）'),
    hint: en('Leave empty for no notice.').zh('留空则不提醒。'),
    invalid: en('Enter an amount such as 5 or 2.50.').zh('请输入金额，例如 5 或 2.50。'),
  },
})
