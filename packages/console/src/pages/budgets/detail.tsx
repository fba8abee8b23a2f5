// One budget, and its deletion.

import { remove } from '../../api/client.ts'
import type { BudgetRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { SendForm } from '../../ui/form/post-form.tsx'
import { Banner } from '../../ui/states.tsx'
import { BudgetFacts, useBudgetName } from './shown.tsx'

type BudgetDrawerProps = {
  budget: BudgetRow
  mayChange: boolean
  onEdit(): void
  onDelete(): void
  onClose(): void
}

export function BudgetDrawer({ budget, mayChange, onEdit, onDelete, onClose }: BudgetDrawerProps) {
  const { budgets, common } = useTexts()
  const t = budgets.detail
  const nameOf = useBudgetName()
  const isOwn = budget.set_by === 'holder' && !budget.is_cap
  const placeOfCap = budget.is_cap && budget.kind === 'member' ? 'member' : budget.kind === 'key' ? 'key' : undefined
  return (
    <Drawer
      open
      onClose={onClose}
      title={nameOf(budget)}
      footer={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          {mayChange && isOwn && (
            <>
              <Button variant="danger" onClick={onDelete}>
                {t.delete}
              </Button>
              <Button variant="primary" onClick={onEdit}>
                {t.edit}
              </Button>
            </>
          )}
          {mayChange && budget.is_cap && placeOfCap && (
            <ButtonLink variant="primary" href={placeOfCap === 'member' ? '/settings' : '/keys'}>
              {t.open[placeOfCap]}
            </ButtonLink>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-6">
        {mayChange && !isOwn && (
          <Banner>{budget.is_cap ? t.capOf[budget.kind as keyof typeof t.capOf] : t.ofOperator}</Banner>
        )}
        <BudgetFacts budget={budget} />
      </div>
    </Drawer>
  )
}

export function DeleteBudgetDialog({ budget, onClose }: { budget: BudgetRow; onClose(): void }) {
  const t = useTexts().budgets.remove
  const nameOf = useBudgetName()
  return (
    <SendForm
      title={t.title(nameOf(budget))}
      action={t.submit}
      isDangerous
      fields={[<p key="text">{t.text}</p>]}
      send={() => remove('budgets/{id}', { id: budget.id })}
      refreshes={['budgets']}
      said={t.done}
      onClose={onClose}
    />
  )
}
