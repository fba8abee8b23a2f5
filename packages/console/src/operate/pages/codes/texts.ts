import { en, texts } from '../../../i18n/say.ts'

export const codes = texts({
  title: en('Codes').zh('兑换码'),
  text: en('Account holders redeem a code for credit. Each code works once.').zh(
    '账户持有人用兑换码换取额度，每个兑换码只能使用一次。',
  ),
  batches: en('Batches of codes').zh('兑换码批次'),
  label: en('Batch').zh('批次'),
  noLabel: en('Without a label').zh('无标签'),
  codes: en('Codes').zh('数量'),
  code: en('Code').zh('兑换码'),
  amount: en('Amount').zh('金额'),
  worth: en('Worth').zh('总价值'),
  redeemed: en('Redeemed').zh('已兑换'),
  of: en((redeemed: string, all: string) => `${redeemed} of ${all}`).zh((redeemed, all) => `${redeemed} / ${all}`),
  open: en('Not redeemed').zh('未兑换'),
  gone: en('Revoked or expired').zh('已作废或过期'),
  expires: en('Expires').zh('过期时间'),
  never: en('Never').zh('永不过期'),
  created: en('Created').zh('创建时间'),
  state: en('State').zh('状态'),
  states: {
    open: en('Open').zh('可用'),
    redeemed: en('Redeemed').zh('已兑换'),
    expired: en('Expired').zh('已过期'),
    revoked: en('Revoked').zh('已作废'),
  },
  by: en('Redeemed by').zh('兑换账户'),
  empty: en('No codes yet').zh('还没有兑换码'),
  emptyText: en('Create a batch and hand out its codes as vouchers or gifts.').zh(
    '创建一个批次，将兑换码作为代金券或礼品发放。',
  ),
  create: {
    check: en('Check').zh('预览更改'),
    label: en('Label of the batch').zh('批次标签'),
    labelHint: en('Codes with the same label are counted and revoked together.').zh(
      '用于在此处识别批次。同一标签的兑换码一起统计和作废。',
    ),
    amount: en('Amount per code (USD)').zh('单个金额（USD）'),
    count: en('Number of codes').zh('数量'),
    wrongLabel: en('Enter a label.').zh('请输入标签。'),
    wrongCount: en('Enter a number from 1 to 10000.').zh('请输入 1 到 10000 之间的数字。'),
  },
  made: {
    title: en('Store these codes now').zh('请立即保存这些兑换码'),
    text: en((count: number) =>
      count === 1 ? 'The code is shown only once.' : `These ${count} codes are shown only once.`,
    ).zh((count) => `这 ${count} 个兑换码只显示这一次。`),
    more: en((count: number) => `And ${count} more in the file.`).zh((count) => `文件中还有 ${count} 个。`),
    download: en('Download CSV').zh('下载 CSV'),
    leave: en('Leave without storing the codes?').zh('尚未保存兑换码，确定离开吗？'),
    leaveText: en('The codes are lost: they cannot be shown again. You can revoke them and create others.').zh(
      '兑换码将丢失，无法再次显示。您可以将其作废并重新创建。',
    ),
  },
})
