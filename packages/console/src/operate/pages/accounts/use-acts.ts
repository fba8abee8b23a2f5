// What operators do to accounts, one or several.

import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'

type Account = Pick<Row<'accounts'>, 'id' | 'name' | 'balance_usd' | 'held_usd'>

export function useAccountActs() {
  const t = useOperateTexts().accounts
  const act = useAct()
  const words = useWords()

  const switched = ({ id, name }: Account, to: 'disable' | 'enable') => ({
    method: 'POST' as const,
    path: `accounts/{account}/${to}` as const,
    params: { account: id },
    ...words(`account ${to}`, name),
    danger: to === 'disable',
    hideChanges: true,
  })
  return {
    /** The other one takes it back. */
    switchTo: (account: Account, to: 'disable' | 'enable') =>
      act({ ...switched(account, to), undo: switched(account, to === 'disable' ? 'enable' : 'disable') }),
    switchAll: (ids: string[], to: 'disable' | 'enable') =>
      act({
        method: 'POST',
        path: 'accounts/bulk',
        body: { accounts: ids, act: to },
        ...words(`account ${to}`, t.several(ids.length)),
        done: t.bulkDone,
        danger: to === 'disable',
        hideChanges: true,
      }),
    /** With a balance it must be forced, which needs the permission for money. */
    erase: ({ id, name, balance_usd, held_usd }: Account) =>
      act({
        method: 'DELETE',
        path: 'accounts/{account}',
        params: { account: id, ...(Number(balance_usd) === 0 && Number(held_usd) === 0 ? {} : { force: 'true' }) },
        ...words('account delete', name),
        danger: true,
        hideChanges: true,
        reason: 'required',
      }),
  }
}
