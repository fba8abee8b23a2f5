// What an account may spend and how fast it may call: the fields of a key's form, for all keys together.

import { useTerms } from '../../../../pages/keys/terms.tsx'
import { Section } from '../../../../ui/page.tsx'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useWords } from '../../../i18n/use-words.ts'
import { ActForm } from '../../../ui/act-form.tsx'
import type { Account } from '../account-state.tsx'

export function LimitsTab({ account }: { account: Account }) {
  const { accounts } = useOperateTexts()
  const t = accounts.limits
  const terms = useTerms()
  const question = useWords()('account limit', account.name)
  const shared = {
    method: 'PATCH',
    params: { account: account.id },
    of: account,
    action: question.action,
    question,
    className: 'flex max-w-[640px] flex-col gap-3',
  } as const
  return (
    <>
      <Section title={t.cap} text={t.capText}>
        <ActForm
          {...shared}
          path="accounts/{account}/limits"
          permission="money"
          fields={[terms.cap({ hint: t.empty })]}
        />
      </Section>
      <Section title={t.rates} text={t.rateText}>
        <ActForm
          {...shared}
          path="accounts/{account}/limits"
          permission="accounts"
          fields={[terms.limits({ hint: t.empty })]}
        />
      </Section>
      <Section title={accounts.creditLine} text={t.creditLineText}>
        <ActForm
          {...shared}
          path="accounts/{account}"
          permission="money"
          fields={[
            {
              frame: (shown) => <div className="max-w-60">{shown}</div>,
              fields: [
                {
                  name: 'credit_line_usd',
                  label: accounts.creditLine,
                  hideLabel: true,
                  hint: t.creditLineHint,
                  write: (text) => (text === '' ? '0' : text),
                },
              ],
            },
          ]}
        />
      </Section>
    </>
  )
}
