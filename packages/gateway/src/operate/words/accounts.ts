// Accounts, their people and notes, keys and redemption codes.
import type { Words } from './words.ts'

export const ACCOUNT_WORDS = {
  'account create': {
    act: { en: 'Create account', zh: '创建账户' },
    ask: { en: 'Create the account {x}?', zh: '创建账户 {x}？' },
    done: { en: 'The account was created.', zh: '账户已创建。' },
    did: { en: 'created the account {x}', zh: '创建了账户 {x}' },
  },
  'account import': { did: { en: 'imported accounts', zh: '批量导入了账户' } },
  'account edit': {
    act: { en: 'Rename', zh: '重命名' },
    ask: { en: 'Rename {x}?', zh: '重命名 {x}？' },
    done: { en: 'Renamed.', zh: '已重命名。' },
    did: { en: 'edited the account {x}', zh: '修改了账户 {x}' },
  },
  'account limit': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change the limits of {x}?', zh: '更改 {x} 的限制？' },
    done: { en: 'Saved.', zh: '已保存。' },
    did: { en: 'changed the limits of {x}', zh: '修改了 {x} 的限制' },
  },
  'account disable': {
    act: { en: 'Disable', zh: '停用' },
    ask: { en: 'Disable {x}?', zh: '停用 {x}？' },
    text: {
      en: 'Keys are rejected immediately, and people can only view. Running requests end as usual.',
      zh: '密钥会立即被拒绝，成员只能查看。运行中的请求会正常结束。',
    },
    done: { en: '{x} is disabled.', zh: '{x} 已停用。' },
    did: { en: 'disabled the account {x}', zh: '停用了账户 {x}' },
  },
  'account enable': {
    act: { en: 'Enable', zh: '启用' },
    ask: { en: 'Enable {x}?', zh: '启用 {x}？' },
    text: { en: 'Keys work again.', zh: '密钥将恢复使用。' },
    done: { en: '{x} is enabled.', zh: '{x} 已启用。' },
    did: { en: 'enabled the account {x}', zh: '启用了账户 {x}' },
  },
  'account delete': {
    act: { en: 'Delete', zh: '删除' },
    ask: { en: 'Delete {x}?', zh: '删除 {x}？' },
    text: {
      en: 'Erases keys, sessions, stored content and notes, and people who have no other account. The ledger keeps all payments. This cannot be undone.',
      zh: '密钥、会话、存储的内容和备注将被清除，没有其他账户的成员也一并清除。账本会保留所有支付记录。此操作无法撤销。',
    },
    done: { en: '{x} was deleted.', zh: '{x} 已删除。' },
    did: { en: 'deleted the account {x}', zh: '删除了账户 {x}' },
  },
  'account credit': {
    act: { en: 'Confirm', zh: '确认' },
    ask: { en: 'Add {usd} USD of credit?', zh: '充值 {usd} USD？' },
    done: { en: 'Credit changed.', zh: '余额已更改。' },
    did: { en: 'changed the balance of {x}', zh: '调整了 {x} 的余额' },
  },
  'account credit-line': {
    did: { en: 'set the credit line of {x}', zh: '设置了 {x} 的信用额度' },
  },
  'account member': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change {x}?', zh: '更改 {x}？' },
    done: { en: 'Saved.', zh: '已保存。' },
    did: { en: 'changed a member of {x}', zh: '修改了 {x} 的成员' },
  },
  'account note add': {
    did: { en: 'wrote a note on {x}', zh: '为 {x} 添加了备注' },
  },
  'account note delete': {
    act: { en: 'Delete note', zh: '删除备注' },
    ask: { en: 'Delete this note?', zh: '删除这条备注？' },
    done: { en: 'The note was deleted.', zh: '备注已删除。' },
    did: { en: 'deleted a note on {x}', zh: '删除了 {x} 的一条备注' },
  },
  'account sign-in-link': {
    act: { en: 'Create a sign-in link', zh: '生成登录链接' },
    ask: { en: 'Create a sign-in link for {x}?', zh: '为 {x} 生成登录链接？' },
    text: {
      en: 'Anyone with the link can sign in once. Send it to this person only.',
      zh: '任何持有链接的人都可以登录一次，请只发给本人。',
    },
    done: { en: 'The link was created.', zh: '链接已生成。' },
    did: { en: 'created a sign-in link for {x}', zh: '为 {x} 生成了登录链接' },
  },
  'account sign-out': {
    act: { en: 'Sign out everywhere', zh: '退出所有设备' },
    ask: { en: 'Sign {x} out everywhere?', zh: '让 {x} 退出所有设备？' },
    text: { en: 'All their browsers have to sign in again.', zh: '此人的所有浏览器都需要重新登录。' },
    done: { en: '{x} was signed out everywhere.', zh: '{x} 已退出所有设备。' },
    did: { en: 'signed {x} out everywhere', zh: '让 {x} 退出了所有设备' },
  },
  'account remove-second-factor': {
    act: { en: 'Remove second factor', zh: '移除双重验证' },
    ask: { en: 'Remove the second factor of {x}?', zh: '移除 {x} 的双重验证？' },
    text: {
      en: 'Make sure that the person has asked for this. All their sessions end.',
      zh: '请确认是本人提出的要求。其所有会话都会结束。',
    },
    done: { en: 'The second factor was removed.', zh: '双重验证已移除。' },
    did: { en: 'removed the second factor of {x}', zh: '移除了 {x} 的双重验证' },
  },
  'account forget-responses': {
    did: { en: 'erased stored responses of {x}', zh: '清除了 {x} 的已存储响应' },
  },
  'key create': {
    act: { en: 'Create key', zh: '创建密钥' },
    ask: { en: 'Create the key {x}?', zh: '创建密钥 {x}？' },
    done: { en: 'The key was created.', zh: '密钥已创建。' },
    did: { en: 'created the key {x}', zh: '创建了密钥 {x}' },
  },
  'key limit': {
    act: { en: 'Save', zh: '保存' },
    ask: { en: 'Change the key {x}?', zh: '更改密钥 {x}？' },
    done: { en: 'The key was changed.', zh: '密钥已更改。' },
    did: { en: 'changed the key {x}', zh: '修改了密钥 {x}' },
  },
  'key rotate': {
    did: { en: 'rotated the secret of the key {x}', zh: '轮换了密钥 {x}' },
  },
  'key delete': {
    did: { en: 'deleted the key {x}', zh: '删除了密钥 {x}' },
  },
  'code create': {
    act: { en: 'Create codes', zh: '创建兑换码' },
    ask: { en: 'Create the codes of {x}?', zh: '创建批次 {x} 的兑换码？' },
    done: { en: 'The codes were created.', zh: '兑换码已创建。' },
    did: { en: 'created redemption codes', zh: '创建了兑换码' },
  },
  'code revoke': {
    act: { en: 'Revoke unused', zh: '作废未使用的兑换码' },
    ask: { en: 'Revoke the unused codes of {x}?', zh: '作废批次 {x} 中未使用的兑换码？' },
    text: {
      en: 'Unredeemed codes stop working. Redeemed credit is kept. This cannot be undone.',
      zh: '尚未兑换的兑换码将失效，已兑换的不受影响。此操作无法撤销。',
    },
    done: { en: 'The unused codes were revoked.', zh: '未使用的兑换码已作废。' },
    did: { en: 'revoked unused redemption codes', zh: '作废了未使用的兑换码' },
  },
  'code redeem': {
    did: { en: 'redeemed a code for {x}', zh: '为 {x} 兑换了一个兑换码' },
  },
} as const satisfies Words
