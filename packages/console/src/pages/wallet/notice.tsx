import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { Section } from '../../ui/page.tsx'

export function NoticeSection() {
  const session = useSession()
  const { wallet, common } = useTexts()
  const t = wallet.notice
  return (
    <Section title={t.title} text={t.text}>
      <PostForm
        // What is typed stays while the session is read again; another threshold replaces it.
        key={session.low_balance_usd}
        path="preferences"
        of={session}
        className="flex flex-col gap-3"
        fields={[
          {
            name: 'low_balance_usd',
            label: t.amount,
            hint: t.hint,
            as: 'amount',
            optional: false,
            wrong: (text) => !/^\d{1,9}(\.\d{1,9})?$/.test(text) && t.invalid,
          },
        ]}
        said={common.saved}
        refreshes={['session']}
      />
    </Section>
  )
}
