import { en, type Said, texts } from '../../../i18n/say.ts'

export const ledger = texts({
  title: en('Ledger').zh('账本'),
  text: en('Every amount moves from one account of the ledger to another. Entries are never changed or removed.').zh(
    '每笔金额都从账本的一个科目转入另一个科目，不会被修改或删除。',
  ),
  books: {
    title: en('Accounts of the ledger').zh('账本科目'),
    text: en('What each received minus what it paid.').zh('每个科目的转入减去转出。'),
    held: en('Held for running requests').zh('因运行中的请求而冻结'),
    sum: en('Sum').zh('合计'),
    zero: en('Zero, as it should be').zh('合计为零，正常'),
    notZero: en('Not zero: run the audit').zh('合计不为零，请运行对账'),
    names: {
      wallets: en('Balances of all accounts').zh('所有账户的余额'),
      revenue: en('Charged for requests and tests').zh('请求与测试的计费金额'),
      credit: en('Credit given by operators, including codes and refunds').zh('运营人员发放的额度，包括兑换码和退款'),
      'trial credit': en('Trial credit').zh('试用额度'),
      'trial credit of sandbox models': en('Trial credit while only sandbox models were available').zh(
        '只有沙盒模型可用期间的试用额度',
      ),
      shortfall: en('Cost of requests beyond the balance').zh('请求费用超出余额的部分'),
      tests: en('Tests of upstreams').zh('上游测试'),
    } as Record<string, Said<string>>,
  },
  audit: {
    title: en('Audit').zh('对账'),
    text: en(
      'Recomputes every balance and every charge from the transfers. Sealed months are proved by their seals. Requests are served as usual meanwhile.',
    ).zh('根据转账记录重新计算每个余额和每笔计费；已封存的月份由其封存记录证明。期间照常处理请求。'),
    runs: en('Audit runs').zh('对账记录'),
    started_at: en('Started').zh('开始时间'),
    nightly: en('Automatic, every night').zh('网关每晚自动运行'),
    state: en('Result').zh('结果'),
    took: en('Took').zh('耗时'),
    checked: en('Checked').zh('检查范围'),
    counts: en((requests: string, transfers: string) => `${requests} requests, ${transfers} transfers`).zh(
      (requests, transfers) => `${requests} 个请求，${transfers} 笔转账`,
    ),
    sealed: en((months: number, last: string) => `Sealed months: ${months}, until ${last}`).zh(
      (months, last) => `已封存 ${months} 个月，截至 ${last}`,
    ),
    read: {
      all: en('Everything was read').zh('已读取全部记录'),
      later: en('Read: what came later').zh('仅读取其后的记录'),
    },
    states: {
      running: en('Running').zh('运行中'),
      passed: en('Consistent').zh('一致'),
      failed: en('Not consistent').zh('不一致'),
      stopped: en('Stopped without a result').zh('中断，没有结果'),
    },
    progress: en((step: number, steps: number) => `Step ${step} of ${steps}`).zh(
      (step, steps) => `第 ${step} 步，共 ${steps} 步`,
    ),
    waiting: en('Starting').zh('正在启动'),
    empty: en('No audit has run yet. The first one runs soon after the gateway starts.').zh(
      '尚未对账。网关启动后不久会自动运行第一次。',
    ),
    wrong: en((count: number, most: boolean) => (most ? `${count} or more` : String(count))).zh((count, most) =>
      most ? `${count} 个或更多` : String(count),
    ),
    problems: {
      balance_mismatches: en('Accounts whose balance is not the sum of their transfers').zh('余额与转账合计不符的账户'),
      held_mismatches: en('Accounts whose held amount differs from their open holds').zh(
        '冻结金额与未结清的冻结不符的账户',
      ),
      key_held_mismatches: en('Keys whose held amount differs from their open holds').zh(
        '冻结金额与未结清的冻结不符的密钥',
      ),
      open_mismatches: en('Accounts with a wrong count of running requests').zh('运行中请求数有误的账户'),
      key_open_mismatches: en('Keys with a wrong count of running requests').zh('运行中请求数有误的密钥'),
      spent_mismatches: en('Accounts whose spending differs from the cost of their requests').zh(
        '消费与请求费用不符的账户',
      ),
      key_spent_mismatches: en('Keys whose spending differs from the cost of their requests').zh(
        '消费与请求费用不符的密钥',
      ),
      spending_mismatches: en('Accounts whose usage totals differ from their charges').zh(
        '用量合计与计费金额不符的账户',
      ),
      attribution_mismatches: en('Accounts whose sums by tag or end user differ from their charges').zh(
        '按标签或最终用户的合计与计费不一致的账户',
      ),
      budget_held_mismatches: en('Budgets whose held amount differs from their open holds').zh(
        '冻结金额与未结清的冻结不符的预算',
      ),
      exceeded_budgets: en('Hard budgets with more spent and held than they allow').zh('消费与冻结超出上限的硬预算'),
      negative_accounts: en('Accounts that hold more than they can').zh('冻结金额超出允许范围的账户'),
      request_mismatches: en('Requests whose transfers differ from their cost').zh('转账与费用不符的请求'),
      seal_mismatches: en('Months whose seal does not hold').zh('封存记录不成立的月份'),
      archive_mismatches: en('Files of the archive that are missing or changed').zh('缺失或被更改的归档文件'),
      lost_task_holds: en('Holds of tasks that do not exist').zh('任务已不存在的冻结'),
      overdrawn_accounts: en('Accounts beyond a credit line that was lowered (not an error)').zh(
        '超出已下调信用额度的账户（不是错误）',
      ),
    },
  },
  transfers: {
    title: en('Transfers').zh('转账'),
    time: en('Time').zh('时间'),
    kind: en('Kind').zh('类型'),
    from: en('From').zh('转出'),
    to: en('To').zh('转入'),
    amount: en('Amount').zh('金额'),
    reason: en('Reason').zh('原因'),
    request: en('Request').zh('请求'),
    reference: en('Reference').zh('参考号'),
    account: en('Account').zh('账户'),
    since: en('From date').zh('起始日期'),
    until: en('Before date').zh('截止日期（不含）'),
    day: en('For example 2027-01-31').zh('例如 2027-01-31'),
    kinds: {
      credit: en('Credit').zh('充值'),
      debit: en('Debit').zh('扣减'),
      charge: en('Charge').zh('收费'),
      shortfall: en('Shortfall').zh('未收差额'),
      test: en('Test').zh('测试'),
    },
    empty: en('No transfers match.').zh('没有符合条件的转账。'),
    emptyText: en('Remove filters, or continue on the next page: each page searches a limited number of transfers.').zh(
      '请移除筛选条件，或继续向前查找：每页只检查有限数量的转账。',
    ),
  },
})
