import { useLanguage } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { Section } from '../../ui/page.tsx'
import { formatUsd, useNumber } from '../../ui/values.tsx'

export function TopUpSection({ supportUrl }: { supportUrl: string | null }) {
  const { locale, texts } = useLanguage()
  const t = texts.wallet.topUp
  const number = useNumber()
  const minutes = (seconds: number | null) => number(Math.ceil((seconds ?? 60) / 60))
  return (
    <Section title={t.title} text={t.text}>
      <PostForm
        path="wallet/redeem"
        className="flex flex-col gap-3"
        fields={[{ name: 'code', label: t.code, hint: t.codeHint, missing: t.missing }]}
        action={t.redeem}
        button={(submit) => <Button {...submit} variant="primary" />}
        aside={
          supportUrl && (
            <a href={supportUrl} rel="noreferrer" target="_blank" className="text-link hover:underline">
              {t.support}
            </a>
          )
        }
        rejected={({ code, retryAfter }) =>
          code === 'too_many_tries' ? { code: t.tooMany(minutes(retryAfter)) } : undefined
        }
        said={({ amount_usd }) => t.done(formatUsd(amount_usd, locale))}
        isCleared
        refreshes={['wallet', 'wallet/history', 'wallet/statements', 'session', 'overview']}
      />
    </Section>
  )
}
