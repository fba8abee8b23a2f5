// Credit for one account or several: the amount, then the balance after it, with a reason that the ledger keeps.

import type { Field } from '../../../ui/form/fields.ts'
import type { Patch } from '../../../ui/form/patches.ts'
import { textIn, type Values } from '../../../ui/form/typed-values.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'

const AMOUNT = /^-?\d{1,9}(\.\d{1,9})?$/

function useCredit<const N extends string>(name: N) {
  const t = useOperateTexts().accounts.credit
  const words = useWords()
  const amount: Field<N> = {
    name,
    label: t.amount,
    hint: t.amountHint,
    placeholder: '25.00',
    as: 'amount',
    missing: t.wrongAmount,
    wrong: (text) => (!AMOUNT.test(text) || Number(text) === 0) && t.wrongAmount,
  }
  return {
    action: t.check,
    fields: [amount],
    question: (_: Patch, values: Values) => {
      const usd = textIn(values, name).trim()
      const removal = usd.startsWith('-') ? { title: t.remove(usd.slice(1)) } : {}
      return { ...words('account credit', '', usd), ...removal, reason: 'required' as const, hideChanges: true }
    },
  }
}

export function CreditDialog({ account, onClose }: { account: { id: string; name: string }; onClose(): void }) {
  const t = useOperateTexts().accounts.credit
  const path = { method: 'POST', path: 'accounts/{account}/credits', params: { account: account.id } } as const
  return <ActForm {...path} {...useCredit('amount_usd')} title={t.title(account.name)} onClose={onClose} />
}

type BulkProps = { ids: string[]; onClose(): void; onDone(result: Schemas['BulkResult']): void }

export function BulkCreditDialog({ ids, onClose, onDone }: BulkProps) {
  const t = useOperateTexts().accounts.credit
  return (
    <ActForm
      method="POST"
      path="accounts/bulk"
      {...useCredit('terms.amount_usd')}
      body={{ accounts: ids, act: 'credit' }}
      title={t.titleOfAll(ids.length)}
      onClose={onClose}
      onDone={onDone}
    />
  )
}
