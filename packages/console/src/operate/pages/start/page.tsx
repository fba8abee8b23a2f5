// The first hour: from an empty gateway to an upstream with models, and to the first key or colleague.

import { useLocation } from 'wouter'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { Banner, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { Step } from '../../../ui/step.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pathOf } from '../../page-ids.ts'
import { STEPS } from '../upstreams/wizard/draft.ts'
import { Wizard } from '../upstreams/wizard/wizard.tsx'
import { dismissStart } from './dismissed.ts'
import { HandOutKey } from './hand-out-key.tsx'
import { InviteColleague } from './invite-colleague.tsx'

export default function StartPage() {
  const t = useOperateTexts().start
  const { common } = useTexts()
  const [, navigate] = useLocation()
  const { may_set_password: hasNoPassword } = useSession()
  const { data, error, refetch } = useAdmin('upstream-figures')
  const real = data?.data.filter(({ base_url }) => base_url !== null)
  const leave = () => {
    dismissStart()
    navigate(pathOf('overview'))
  }
  return (
    <>
      <PageHeader
        title={t.title}
        help="operate/browser#set-up-your-gateway"
        text={t.text}
        actions={<Button onClick={leave}>{real && real.length > 0 ? t.finish : t.skip}</Button>}
      />
      {hasNoPassword && (
        <div className="mb-6">
          <Banner
            tone="warn"
            action={
              <ButtonLink small href="/settings#password">
                {t.choosePassword}
              </ButtonLink>
            }
          >
            {t.noPassword}
          </Banner>
        </div>
      )}
      <Section flush>
        {error && !data ? (
          <ErrorState error={error} retry={refetch} />
        ) : real === undefined ? (
          <div className="p-4">
            <Skeleton size="h-96 w-full" />
          </div>
        ) : (
          <>
            <h2 className="sr-only">{common.steps}</h2>
            <ol>
              {real.length === 0 ? (
                <>
                  <Wizard onSaved={() => {}} />
                  <Step number={STEPS.length + 1} title={t.handOut} state="ahead" />
                </>
              ) : (
                <>
                  <Step number={1} title={t.added} state="done">
                    <p className="text-muted">{real.map(({ id }) => id).join(', ')}</p>
                  </Step>
                  <Step number={2} title={t.handOut} state="current">
                    <div className="grid gap-6 min-[900px]:grid-cols-2">
                      <HandOutKey />
                      <InviteColleague />
                    </div>
                  </Step>
                </>
              )}
            </ol>
          </>
        )}
      </Section>
    </>
  )
}
