// The statement of a month, as the holders of the account see it. The month is in the URL.
import { useTexts } from '../../../../i18n/language.tsx'
import { StatementView } from '../../../../pages/wallet/statement/view.tsx'
import { Button } from '../../../../ui/button.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { Loaded } from '../../../../ui/loaded.tsx'
import { useUrlState } from '../../../../ui/url-state.ts'
import { useAdmin } from '../../../api/queries.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'

const isMonth = (text: string): boolean => /^[2-9]\d{3}-(0[1-9]|1[0-2])$/.test(text)
const THIS_MONTH = { month: new Date().toISOString().slice(0, 7) }

export function StatementsTab({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const { wallet } = useTexts()
  const [{ month }, setPlace] = useUrlState(THIS_MONTH)
  const query = useAdmin('accounts/{account}/statements/{month}', {
    account,
    month: isMonth(month) ? month : THIS_MONTH.month,
  })
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end gap-3 print:hidden">
        <TextField label={t.month} type="month" value={month} onChange={(next) => setPlace({ month: next })} />
        <Button onClick={() => window.print()}>{wallet.statements.print}</Button>
      </div>
      <Loaded query={query}>{(statement) => <StatementView statement={statement} />}</Loaded>
    </>
  )
}
