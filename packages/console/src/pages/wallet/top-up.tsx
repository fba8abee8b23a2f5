import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/client.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Section } from '../../ui/page.tsx'
import { Banner } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { formatUsd, useNumber } from '../../ui/values.tsx'

export function TopUpSection({ supportUrl }: { supportUrl: string | null }) {
  const { locale, texts } = useLanguage()
  const t = texts.wallet.topUp
  const number = useNumber()
  const client = useQueryClient()
  const toast = useToast()
  const [code, setCode] = useState('')
  const { errors, isBusy, submit } = useForm({
    fields: ['code'],
    check: () => (code.trim() === '' ? { code: t.missing } : {}),
    send: () => post('wallet/redeem', { code: code.trim() }),
    done({ amount_usd: amount }) {
      setCode('')
      toast(t.done(formatUsd(amount, locale)))
      for (const path of ['wallet', 'wallet/history', 'wallet/statements', 'session', 'overview'])
        void client.invalidateQueries({ queryKey: [path] })
    },
    rejected: ({ code, retryAfter }) =>
      code === 'too_many_tries' ? { code: t.tooMany(number(Math.ceil((retryAfter ?? 60) / 60))) } : undefined,
  })

  return (
    <Section title={t.title} text={t.text}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <TextField
          label={t.code}
          name="code"
          value={code}
          onChange={setCode}
          error={errors.code}
          hint={t.codeHint}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" busy={isBusy}>
            {t.redeem}
          </Button>
          {supportUrl && (
            <a href={supportUrl} rel="noreferrer" target="_blank" className="text-link hover:underline">
              {t.support}
            </a>
          )}
        </div>
      </form>
    </Section>
  )
}
