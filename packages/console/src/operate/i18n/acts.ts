// The dialog through which every change of an operator goes.

import { en, texts } from '../../i18n/say.ts'

export const acts = texts({
  reason: en('Reason').zh('原因'),
  reasonHint: en('Kept in the audit log.').zh('会记录在审计日志中。'),
  reasonMissing: en('Enter a reason. It is kept in the audit log.').zh('请填写原因，原因会记录在审计日志中。'),
  changes: en('What changes').zh('变更内容'),
  noChanges: en('Nothing changes.').zh('没有变化。'),
  effects: en('Effects').zh('影响'),
  before: en('Before').zh('变更前'),
  after: en('After').zh('变更后'),
  unset: en('not set').zh('未设置'),
  review: en('Review').zh('检查变更'),
  checking: en('Checking the change').zh('正在检查变更'),
  copyCurl: en('Copy as curl').zh('复制为 curl'),
  undo: en('Undo').zh('撤销'),
  changed: en('Someone else has changed this since you opened it. Compare and save again, or cancel.').zh(
    '在您打开之后，其他人修改了此内容。请比较后再保存，或取消。',
  ),
  changedBy: en((who: string) => `Last changed by ${who},`).zh((who) => `最近由 ${who} 修改，`),
  saveAnyway: en('Save anyway').zh('仍然保存'),
  bulk: {
    title: en('Selected rows').zh('已选择的行'),
    choose: en((name: string) => `Select ${name}`).zh((name) => `选择 ${name}`),
    chooseAll: en('Select all on this page').zh('选择本页全部'),
    chosen: en((count: number) => `${count} selected`).zh((count) => `已选择 ${count} 项`),
    most: en('At most 200 at a time.').zh('一次最多 200 项。'),
    clear: en('Clear').zh('取消选择'),
    done: en('Done.').zh('已完成。'),
    failures: en((count: number) => (count === 1 ? '1 was not changed' : `${count} were not changed`)).zh(
      (count) => `${count} 项未更改`,
    ),
    summary: en((changed: number, unchanged: number) => `Changed: ${changed}. Unchanged: ${unchanged}.`).zh(
      (changed, unchanged) => `已更改 ${changed} 项，${unchanged} 项无需更改。`,
    ),
  },
  secondFactor: {
    text: en('Enter a new code from your authenticator app: you entered the last one more than ten minutes ago.').zh(
      '请输入身份验证器应用中的新验证码：距上次验证已超过十分钟。',
    ),
    code: en('Code').zh('验证码'),
    missing: en('Enter the code from your authenticator app, or a recovery code.').zh(
      '请输入身份验证器应用中的验证码，或恢复代码。',
    ),
    wrong: en('This code is wrong or has already been used.').zh('验证码错误，或已被使用。'),
  },
})
