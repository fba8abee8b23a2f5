// From the kind of an upstream to a revision with its models and prices: one step after the other, each of which can be changed later.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import type { ApiError } from '../../../../api/client.ts'
import { useLanguage } from '../../../../i18n/language.tsx'
import { Button } from '../../../../ui/button.tsx'
import { ErrorState } from '../../../../ui/states.tsx'
import { Step, type StepState } from '../../../../ui/step.tsx'
import { callAdmin } from '../../../api/client.ts'
import type { Output } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { BY_KEY, firstType } from '../cloud.ts'
import { CUSTOM, type Draft, EMPTY, STEPS, type StepId } from './draft.ts'
import { chosenIn } from './entries.ts'
import { GroupStep } from './group-step.tsx'
import { addressIn, KeyStep } from './key-step.tsx'
import { KindStep, useKinds } from './kind-step.tsx'
import { ModelsStep } from './models-step.tsx'
import { ReviewStep } from './review-step.tsx'
import { TestStep } from './test-step.tsx'
import { useDraft } from './use-draft.ts'

/** The items of a list: other steps may follow. `first`: the number of its first step. */
export function Wizard({
  first = 1,
  onSaved,
}: {
  first?: number
  onSaved(id: string, models: readonly string[]): void
}) {
  const t = useOperateTexts().upstreams.wizard
  const [draft, set, clear] = useDraft()
  const kinds = useKinds().data?.data
  const kind = kinds?.find(({ id }) => id === draft.kind)
  const { language } = useLanguage()
  /** Who reads Chinese most probably has an account there. */
  const regionOf = (id: string) => (language === 'zh' && kinds?.find((each) => each.id === id)?.mainland ? 'china' : '')
  const authOf = (id: string) => {
    const chosen = kinds?.find((each) => each.id === id)
    return chosen ? { type: firstType(chosen) } : BY_KEY
  }
  const proposals = useProposals(draft)
  const models = proposals.data?.models
  const at = STEPS.indexOf(draft.step)
  useStepFocus(draft.step)
  const summaries: Readonly<Record<StepId, string>> = {
    kind: draft.kind === CUSTOM ? t.kind.custom : (kind?.name ?? draft.kind),
    key: [
      draft.baseUrl || addressIn(kind, draft) || Object.values(draft.place).join(' / '),
      draft.auth.type !== 'key' ? t.key.auths[draft.auth.type] : draft.key === '' ? '' : t.key.stored,
    ]
      .filter((part) => part !== '')
      .join(' · '),
    test: draft.tested === '' ? t.test.skipped : t.test.done(draft.tested),
    models: t.models.chosen(chosenIn(draft, models ?? []).length),
    group: [...draft.groups, draft.newGroup].filter((id) => id !== '').join(', ') || t.review.noGroups,
    review: '',
  }
  const contents: Readonly<Record<StepId, ReactNode>> = {
    kind: (
      <KindStep
        chosen={draft.kind}
        onChoose={(id) =>
          set(id === draft.kind ? { step: 'key' } : { ...EMPTY, ...begun(id), region: regionOf(id), auth: authOf(id) })
        }
      />
    ),
    key: <KeyStep key={draft.kind} draft={draft} set={set} kind={kind} />,
    test: <TestStep draft={draft} set={set} proposals={models} />,
    models: <ModelsStep draft={draft} set={set} proposals={models} date={proposals.data?.date} />,
    group: <GroupStep draft={draft} set={set} />,
    review: (
      <ReviewStep
        draft={draft}
        set={set}
        proposals={models ?? []}
        onSaved={() => {
          const chosen = chosenIn(draft, models ?? [])
          clear()
          onSaved(draft.id.trim(), chosen)
        }}
      />
    ),
  }
  return STEPS.map((id, index) => {
    const state: StepState = index < at ? 'done' : index === at ? 'current' : 'ahead'
    return (
      <Step
        key={id}
        number={first + index}
        title={id === 'key' && draft.auth.type !== 'key' ? t.key.stepOfCloud : t[id].step}
        state={state}
        aside={
          state === 'done' && (
            <Button small variant="quiet" onClick={() => set({ step: id })}>
              {t.change}
              <span className="sr-only"> {t[id].step}</span>
            </Button>
          )
        }
      >
        {state === 'done' && summaries[id] !== '' && <p className="text-muted wrap-anywhere">{summaries[id]}</p>}
        {state === 'current' && proposals.error && <ErrorState error={proposals.error} retry={proposals.refetch} />}
        {state === 'current' && contents[id]}
      </Step>
    )
  })
}

/** Another vendor has other models and another key. */
const begun = (kind: string): Partial<Draft> => ({ kind, id: kind === CUSTOM ? '' : kind, step: 'key' })

/** The keyboard continues at the step that is shown, unless a field of it has the focus. */
function useStepFocus(step: StepId): void {
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    const current = document.querySelector<HTMLElement>('li[aria-current="step"]')
    if (!current?.contains(document.activeElement)) current?.focus()
  }, [step])
}

/** Prices of what the upstream lists, with what is added to them. */
function useProposals({ found, baseModels, baseUrl, listedAt, markup }: Draft) {
  const address = listedAt || baseUrl.trim()
  return useQuery<Output<'POST', 'price-proposals'>, ApiError>({
    queryKey: ['admin', 'price-proposals', found, baseModels, address, markup],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const body = {
        models: [...found],
        markup_percent: Math.min(1_000, Number(markup || '0')),
        ...(baseModels.length > 0 ? { base_models: [...baseModels] } : {}),
        ...(address === '' ? {} : { base_url: address }),
      }
      const result = await callAdmin({ method: 'POST', path: 'price-proposals', body })
      if (!result.ok) throw result.error
      return result.value
    },
  })
}
