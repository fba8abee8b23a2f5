// Whether the person wants no help with the first hour, in this browser.
const NAME = 'trivium-start-dismissed'

export const isStartDismissed = (): boolean => localStorage.getItem(NAME) !== null
export const dismissStart = (): void => localStorage.setItem(NAME, 'yes')
