import { en, texts } from '../../../i18n/say.ts'

export const keys = texts({
  title: en('Keys').zh('密钥'),
  text: en('The keys of all accounts. Limits that you set on a key cannot be raised by its account holder.').zh(
    '所有账户的密钥。您在密钥上设置的限制，账户持有人无法提高。',
  ),
  search: en('Name or last four characters').zh('名称或末四位'),
  account: en('Account').zh('账户'),
  accountHint: en('ID, name or email').zh('ID、名称或邮箱'),
  group: en('Group').zh('分组'),
  lastFour: en('Last four characters').zh('末四位'),
  madeBy: en('Made by').zh('创建者'),
  view: en('View').zh('视图'),
  views: {
    active: en('Active').zh('有效'),
    unused: en('Unused for 90 days').zh('90 天未使用'),
    never: en('Never used').zh('从未使用'),
    noCap: en('No cap').zh('无消费上限'),
    noExpiry: en('No expiry').zh('永不过期'),
    capNearlySpent: en('Cap above 90 %').zh('已消费上限的 90% 以上'),
    all: en('All').zh('全部'),
  },
  none: en('No key matches').zh('没有匹配的密钥'),
  clear: en('Clear filters').zh('清除筛选'),
  empty: en('No active keys').zh('没有有效的密钥'),
  emptyText: en(
    'Account holders create keys in their console. You can create one for them on the page of their account.',
  ).zh('账户持有人在自己的控制台中创建密钥。您也可以在其账户页面代为创建。'),
  onlyActive: en('Show active keys only').zh('只显示有效密钥'),
  alsoOthers: en('Also show expired and deleted keys').zh('同时显示已过期和已删除的密钥'),
  bulk: {
    edit: en('Edit').zh('编辑'),
    delete: en('Delete').zh('删除'),
    check: en('Check').zh('预览更改'),
    done: en('Done.').zh('已完成。'),
    nothing: en('Enter at least one change.').zh('请填写要更改的内容。'),
    unchanged: en('Unchanged').zh('不变'),
    emptyHint: en('Leave empty to keep.').zh('留空表示不变。'),
    editText: en('Fields that you leave empty do not change.').zh('留空的字段在每个密钥上保持不变。'),
    editTitle: en((count: number) => (count === 1 ? 'Edit 1 key' : `Edit ${count} keys`)).zh(
      (count) => `编辑 ${count} 个密钥`,
    ),
    deleteTitle: en((count: number) => (count === 1 ? 'Delete 1 key?' : `Delete ${count} keys?`)).zh(
      (count) => `删除 ${count} 个密钥？`,
    ),
  },
})
