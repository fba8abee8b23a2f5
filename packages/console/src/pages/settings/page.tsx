import { useEffect, useState } from 'react'
import { Route, Switch } from 'wouter'
import { post } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { lazyPage } from '../../app/lazy-page.tsx'
import { useSession } from '../../app/session.tsx'
import { setTheme, type Theme, useTheme } from '../../app/theme.ts'
import { LANGUAGES, type Language, useLanguage, useTexts } from '../../i18n/language.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Segments } from '../../ui/form/choices.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { Facts, PageHeader, Section } from '../../ui/page.tsx'
import { Badge, useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Time } from '../../ui/values.tsx'
import { PasswordSection } from './password.tsx'
import { MembersSection } from './people/members.tsx'
import { SecondFactorSection } from './second-factor.tsx'
import { SessionsSection } from './sessions.tsx'

const noticesPage = lazyPage(() => import('./notices/page.tsx'))

export default function SettingsPage() {
  return (
    <Switch>
      <Route path="/settings/notices" component={noticesPage.page} />
      <Route component={Settings} />
    </Switch>
  )
}

function Settings() {
  const { settings: t } = useTexts()
  // The set-up link leads to the password.
  useEffect(() => {
    if (window.location.hash === '#password')
      document.querySelector<HTMLElement>('#password input:not([hidden])')?.focus()
  }, [])
  return (
    <div className="max-w-[800px]">
      <PageHeader title={t.title} help="use/console#settings" />
      <AccountSection />
      <MembersSection />
      <PasswordSection />
      <SecondFactorSection />
      <SessionsSection />
      <NoticesLink />
      <AppearanceSection />
    </div>
  )
}

function NoticesLink() {
  const t = useTexts().notices
  return (
    <Section title={t.name} text={t.linkText}>
      <ButtonLink href="/settings/notices">{t.open}</ButtonLink>
    </Section>
  )
}

function AccountSection() {
  const t = useTexts().settings.account
  const { account } = useSession()
  const mayRename = account.role === 'owner' && !account.disabled
  return (
    <Section title={t.title}>
      <Facts
        items={[
          {
            label: t.email,
            value: (
              <span className="inline-flex flex-wrap items-center gap-x-2">
                <span className="break-all">{account.email}</span>
                {account.email_verified ? <Badge tone="good">{t.verified}</Badge> : <Unverified />}
              </span>
            ),
          },
          ...(mayRename ? [] : [{ label: t.name, value: account.name }]),
          { label: t.role, value: t.roles[account.role] },
          { label: t.created, value: <Time at={account.created_at} /> },
          { label: t.id, value: account.id },
        ]}
      />
      {mayRename && <AccountName key={account.id} />}
    </Section>
  )
}

/** Verification matters only where the gateway can send emails. */
function Unverified() {
  const t = useTexts().settings.account
  const { data: about } = useAbout()
  const toast = useToast()
  const message = useErrorMessage()
  const [isBusy, setBusy] = useState(false)
  if (!about?.mail) return null
  const resend = async () => {
    setBusy(true)
    const result = await post('email/resend')
    setBusy(false)
    if (result.ok) toast(t.resent)
    else toast(message(result.error), 'bad')
  }
  return (
    <>
      <Badge tone="warn">{t.unverified}</Badge>
      <Button small busy={isBusy} onClick={resend}>
        {t.resend}
      </Button>
    </>
  )
}

function AppearanceSection() {
  const { language, setLanguage, texts } = useLanguage()
  const t = texts.settings.appearance
  const theme = useTheme()
  const choose = (chosen: Language) => {
    setLanguage(chosen)
    // Emails of the gateway use it.
    void post('preferences', { language: chosen })
  }
  return (
    <Section title={t.title}>
      <Facts
        items={[
          {
            label: t.language,
            value: (
              <Segments
                label={t.language}
                value={language}
                onChange={choose}
                options={(Object.keys(LANGUAGES) as Language[]).map((value) => ({ value, label: LANGUAGES[value] }))}
              />
            ),
          },
          {
            label: t.theme,
            value: (
              <Segments<Theme>
                label={t.theme}
                value={theme}
                onChange={setTheme}
                options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts.theme[value] }))}
              />
            ),
          },
        ]}
      />
    </Section>
  )
}

function AccountName() {
  const t = useTexts().settings.account
  const { account } = useSession()
  return (
    <PostForm
      path="account"
      of={account}
      className="mt-4 flex max-w-[360px] flex-col gap-4"
      fields={[{ name: 'name', label: t.name, missing: t.nameMissing }]}
      said={t.renamed}
      refreshes={['session']}
    />
  )
}
