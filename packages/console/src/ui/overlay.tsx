// Tabs, menus and popovers, with the keyboard behaviour of Radix.

import * as RadixMenu from '@radix-ui/react-dropdown-menu'
import * as RadixPopover from '@radix-ui/react-popover'
import * as RadixTabs from '@radix-ui/react-tabs'
import { type ReactNode, useRef } from 'react'
import { classes } from './classes.ts'
import { useDialogContainer } from './dialog.tsx'
import { Icon, type IconName } from './icons.tsx'

export type Tab = { id: string; label: string; content: ReactNode }

export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string
  tabs: readonly Tab[]
  value: string
  onChange(id: string): void
}) {
  return (
    <RadixTabs.Root value={value} onValueChange={onChange}>
      <RadixTabs.List aria-label={label} className="scroll-hint mb-4 flex gap-4 overflow-x-auto border-b">
        {tabs.map(({ id, label }) => (
          <RadixTabs.Trigger
            key={id}
            value={id}
            className="-mb-px shrink-0 border-b-2 border-transparent py-2 text-muted -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {label}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map(({ id, content }) => (
        <RadixTabs.Content key={id} value={id}>
          {content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  )
}

const PANEL = 'z-50 rounded-md border border-edge/50 bg-surface text-ink'

export type MenuItem = {
  label: string
  /** Where labels may be equal. */
  id?: string
  icon?: IconName
  onSelect(): void
  danger?: boolean
  disabled?: boolean
  /** The chosen one of several. */
  isCurrent?: boolean
  /** The first of a group. */
  hasLine?: boolean
}

/** `trigger` is one button. */
export function Menu({
  trigger,
  items,
  align = 'end',
  movesFocus = false,
}: {
  trigger: ReactNode
  items: readonly MenuItem[]
  align?: 'start' | 'end'
  /** What an item shows takes the focus: the button must not take it back. */
  movesFocus?: boolean
}) {
  const container = useDialogContainer()
  const isChosen = useRef(false)
  return (
    // Not modal: a modal menu would add a style element, which the content security policy blocks.
    <RadixMenu.Root modal={false}>
      <RadixMenu.Trigger asChild>{trigger}</RadixMenu.Trigger>
      <RadixMenu.Portal container={container}>
        <RadixMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (movesFocus && isChosen.current) event.preventDefault()
            isChosen.current = false
          }}
          className={classes(PANEL, 'max-w-[min(320px,calc(100vw-16px))] min-w-40 p-1')}
        >
          {items.map(({ label, id = label, icon, onSelect, danger, disabled, isCurrent, hasLine }) => (
            <RadixMenu.Item
              key={id}
              aria-current={isCurrent}
              disabled={disabled ?? false}
              onSelect={() => {
                isChosen.current = true
                onSelect()
              }}
              className={classes(
                'flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-raised pointer-coarse:py-2.5',
                danger && 'text-bad',
                hasLine && 'mt-1 rounded-none border-t pt-2.5',
              )}
            >
              {icon && <Icon name={icon} />}
              <span className={classes('min-w-0 truncate', isCurrent && 'font-medium')}>{label}</span>
            </RadixMenu.Item>
          ))}
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  )
}

/** Details one click away, such as the formula of an amount. `trigger` is one button. */
export function Popover({ trigger, label, children }: { trigger: ReactNode; label: string; children: ReactNode }) {
  const container = useDialogContainer()
  return (
    <RadixPopover.Root>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal container={container}>
        <RadixPopover.Content
          aria-label={label}
          sideOffset={4}
          collisionPadding={8}
          className={classes(PANEL, 'max-w-[min(360px,calc(100vw-16px))] p-3')}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  )
}
