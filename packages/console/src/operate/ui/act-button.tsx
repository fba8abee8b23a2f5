import type { ComponentProps } from 'react'
import { Button } from '../../ui/button.tsx'
import type { MenuItem } from '../../ui/overlay.tsx'
import { type Permission, useNeeds } from './permissions.ts'

type ActButtonProps = ComponentProps<typeof Button> & { permission: Permission }

/** What a colleague could do is shown, disabled, with the role that it needs. */
export function ActButton({ permission, children, ...rest }: ActButtonProps) {
  const needed = useNeeds()(permission)
  return (
    // On the colour of a primary button the role could not be read.
    <Button {...rest} {...(needed === undefined ? {} : { disabled: true, title: needed, variant: 'secondary' })}>
      {children}
      {needed !== undefined && <span className="text-xs font-normal text-muted">{needed}</span>}
    </Button>
  )
}

/** The same in a menu. */
export function useActItem(): (permission: Permission, item: MenuItem) => MenuItem {
  const needs = useNeeds()
  return (permission, item) => {
    const needed = needs(permission)
    return needed === undefined ? item : { ...item, label: `${item.label} (${needed})`, disabled: true }
  }
}
