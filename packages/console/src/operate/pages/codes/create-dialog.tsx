// A new batch of codes.

import { useTexts } from '../../../i18n/language.tsx'
import { isAmount } from '../../../pages/keys/entered.ts'
import { pair, useTerms } from '../../../pages/keys/terms.tsx'
import { textIn, type Values } from '../../../ui/form/typed-values.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import type { NewCode } from './new-codes.tsx'

const MOST = 10_000

type CreateProps = { onClose(): void; onCreated(made: { label: string; codes: readonly NewCode[] }): void }

const labelIn = (values: Values) => textIn(values, 'label').trim()

export function CreateCodesDialog({ onClose, onCreated }: CreateProps) {
  const { errors } = useTexts().keys.form
  const t = useOperateTexts().codes.create
  const words = useWords()
  return (
    <ActForm
      method="POST"
      path="codes"
      title={words('code create').action}
      action={t.check}
      fields={[
        {
          name: 'label',
          label: t.label,
          hint: t.labelHint,
          placeholder: 'spring-2027',
          maxLength: 100,
          missing: t.wrongLabel,
        },
        {
          frame: pair,
          fields: [
            {
              name: 'amount_usd',
              label: t.amount,
              as: 'amount',
              placeholder: '10.00',
              missing: errors.cap,
              wrong: (text) => !isAmount(text) && errors.cap,
            },
            {
              name: 'count',
              label: t.count,
              as: 'number',
              usual: '1',
              missing: t.wrongCount,
              wrong: (text) => !(/^[1-9]\d{0,4}$/.test(text) && Number(text) <= MOST) && t.wrongCount,
            },
          ],
        },
        ...useTerms().expiry({ usual: 'days90' }),
      ]}
      question={(_, values) => ({ ...words('code create', labelIn(values)), hideChanges: true })}
      onClose={onClose}
      onDone={({ codes }, values) => onCreated({ label: labelIn(values), codes })}
    />
  )
}
